/** A program without a browser is let in by a person (docs/rules/sign-in.md#a-program-without-a-browser). */
import { createHash } from "node:crypto";
import { describe, expect } from "vitest";
import { csrfToken } from "../../src/people/sessions/csrf.ts";
import { createSession } from "../../src/people/sessions/sessions.ts";
import { deviceTest as test } from "../support/deviceTest.ts";
import { ME, TOKENS } from "../support/tokensTest.ts";

const APPROVED = 204;

describe("a program without a browser", () => {
  test("gets a token of the organization that its person chose, once", async ({ api, world }) => {
    const { user, org, cookies } = await world.holder();
    const asked = await world.begin({ client_name: "deploy", host_name: "ada-laptop" });
    expect(asked).toMatchObject({ expires_in: 600, interval: 5, verification_uri: `${api.baseUrl}/device` });
    expect(asked.verification_uri_complete).toBe(`${api.baseUrl}/device#${asked.user_code}`);
    expect(await world.look(asked)).toMatchObject({ status: 400, body: { code: "authorization_pending" } });
    const shown = await world.answer("GET", asked, cookies);
    expect(shown.body).toMatchObject({
      user_code: asked.user_code,
      client_name: "deploy",
      host_name: "ada-laptop",
      address: "127.0.0.1",
    });
    expect((await world.answer("POST", asked, cookies, org)).status).toBe(APPROVED);
    const { status, body } = await world.lookLater(asked);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      token_type: "Bearer",
      expires_in: 90 * 86_400,
      name: "deploy on ada-laptop",
      org_id: org,
    });
    const me = await api.call("GET", ME, { token: body.access_token });
    expect(me.body).toMatchObject({
      id: user,
      pat_id: body.token_id,
      pat_name: "deploy on ada-laptop",
      pat_org_id: org,
    });
    // Both of its answers are used up.
    expect(await world.lookLater(asked)).toMatchObject({ status: 400, body: { code: "invalid_grant" } });
    expect((await world.answer("GET", asked, cookies)).status).toBe(404);
    expect((await world.answer("POST", asked, cookies, org)).status).toBe(404);
  });

  test("leaves who agreed to what in the trail, and its token nowhere", async ({ api, world }) => {
    const { user, org, cookies } = await world.holder();
    const asked = await world.begin();
    await world.answer("POST", asked, cookies, org);
    const { body } = await world.lookLater(asked);
    const entries = await api.database.sql`
      select action, actor_id, resource_id, details from audit_log where org_id = ${org} and actor_id = ${user} order by id`;
    const [approved, created] = entries.slice(-2);
    const asker = { client_name: "deploy", host_name: "laptop", address: "127.0.0.1" };
    expect(approved).toMatchObject({ action: "device_login.approve", details: asker });
    expect(created).toMatchObject({
      action: "personal_token.create",
      resource_id: body.token_id,
      details: { name: "deploy on laptop", device_login: approved?.resource_id },
    });
    const everything = JSON.stringify([entries, api.logged]);
    for (const secret of [body.access_token, asked.device_code]) expect(everything).not.toContain(secret);
  });

  test("that asks too often is told to slow down, more each time", async ({ api, world }) => {
    const asked = await world.begin();
    await world.look(asked);
    expect(await world.look(asked)).toMatchObject({ status: 400, body: { code: "slow_down" } });
    await api.database.advanceClock(5_000);
    expect((await world.look(asked)).body.code).toBe("slow_down");
    await api.database.advanceClock(15_000);
    expect((await world.look(asked)).body.code).toBe("authorization_pending");
  });

  test("is told when its person declined", async ({ api, world }) => {
    const { user, cookies, org } = await world.holder();
    const asked = await world.begin();
    expect((await world.answer("DELETE", asked, cookies)).status).toBe(204);
    expect((await world.look(asked)).body.code).toBe("access_denied");
    expect((await world.answer("POST", asked, cookies, org)).status).toBe(404);
    const [entry] = await api.database
      .sql`select org_id from audit_log where action = 'device_login.deny' and actor_id = ${user}`;
    expect(entry?.org_id).toBeNull();
  });

  test("waits ten minutes, also for what was agreed to", async ({ api, world }) => {
    const { cookies, org } = await world.holder();
    const [unanswered, agreed] = [await world.begin(), await world.begin()];
    await world.answer("POST", agreed, cookies, org);
    await api.database.advanceClock(10 * 60_000 + 1_000);
    for (const asked of [unanswered, agreed]) expect((await world.look(asked)).body.code).toBe("expired_token");
    expect((await world.answer("POST", unanswered, cookies, org)).status).toBe(404);
  });

  test("with a code that nobody gave out has nothing", async ({ world }) => {
    expect((await world.look({ device_code: "x".repeat(43) })).body.code).toBe("invalid_grant");
  });

  test("cannot call itself something that reads as another line", async ({ api }) => {
    for (const host_name of ["a\nb", "a\u202eb", "", " a", "x".repeat(57)]) {
      const { status } = await api.call("POST", "/api/v1/auth/device", { body: { client_name: "deploy", host_name } });
      expect([host_name, status]).toEqual([host_name, 422]);
    }
  });
});

describe("the person", () => {
  test("answers by session only, and for an organization of their own", async ({ api, world }) => {
    const { cookies, org, token } = await world.holder();
    const foreign = await api.makeOrg();
    const asked = await world.begin();
    for (const method of ["GET", "POST", "DELETE"]) {
      const path = `/api/v1/me/device-logins/${asked.user_code}`;
      expect((await api.call(method, path, { token })).body.code).toBe("session_required");
    }
    expect((await world.answer("POST", asked, cookies, foreign)).status).toBe(403);
    const { "x-csrf-token": _, ...unproven } = cookies;
    expect((await world.answer("POST", asked, unproven, org)).body.code).toBe("csrf_refused");
    expect((await world.look(asked)).body.code).toBe("authorization_pending");
    // Typed by hand.
    const typed = { user_code: asked.user_code.toLowerCase().replace("-", "") };
    expect((await world.answer("GET", typed, cookies)).body.user_code).toBe(asked.user_code);
  });

  test.for([
    ["signed out", "access_denied|invalid_grant", "delete from sessions where user_id = $1"],
    ["left the organization", "access_denied", "delete from memberships where user_id = $1"],
    ["was disabled", "access_denied", "update users set disabled_at = svc_now() where id = $1"],
  ])("who %s since gives nothing any more", async ([, code, change], { api, world }) => {
    const { user, cookies, org } = await world.holder();
    const asked = await world.begin();
    await world.answer("POST", asked, cookies, org);
    await api.database.sql.unsafe(change as string, [user]);
    expect((await world.lookLater(asked)).body.code).toMatch(new RegExp(`^(${code})$`));
    const tokens = await api.database.sql`select name from personal_access_tokens where user_id = ${user}`;
    expect(tokens.map(({ name }) => name)).not.toContain("deploy on laptop");
  });

  test("of two who answer at the same moment one counts, and of two who collect one gets it", async ({
    api,
    world,
  }) => {
    for (let round = 0; round < 5; round++) {
      const people = await Promise.all([world.holder(), world.holder(), world.holder()]);
      const asked = await world.begin();
      const answers = await Promise.all(people.map(({ cookies, org }) => world.answer("POST", asked, cookies, org)));
      expect(answers.map(({ status }) => status).sort()).toEqual([APPROVED, 404, 404]);
      const got = await Promise.all([1, 2, 3, 4].map(() => world.look(asked)));
      expect(got.filter(({ status }) => status === 200)).toHaveLength(1);
      for (const { status, body } of got.filter((one) => one.status !== 200)) {
        expect([status, body.code]).toEqual([400, expect.stringMatching(/^(slow_down|invalid_grant)$/)]);
      }
      const users = people.map(({ user }) => user);
      const made = await api.database.sql`
        select org_id from personal_access_tokens where user_id = any(${users}) and name = 'deploy on laptop'`;
      const approver = people[answers.findIndex(({ status }) => status === APPROVED)];
      expect(made.map(({ org_id }) => org_id)).toEqual([approver?.org]);
    }
  });

  test("who signs out everywhere at the same moment leaves no token behind", async ({ api, world }) => {
    for (let round = 0; round < 5; round++) {
      const { user, cookies, org } = await world.holder();
      const operator = await api.makeUser({ superAdmin: true });
      const session = await createSession(api.database.db, operator.user);
      const headers = { cookie: `svc_session=${session}`, origin: api.baseUrl, "x-csrf-token": csrfToken(session) };
      const asked = await world.begin();
      await world.answer("POST", asked, cookies, org);
      const path = `/api/v1/users/${encodeURIComponent(user)}/force-logout`;
      const [, logout] = await Promise.all([world.look(asked), api.call("POST", path, { headers })]);
      expect(logout.status).toBe(204);
      expect(await api.database.sql`select from personal_access_tokens where user_id = ${user}`).toHaveLength(0);
    }
  });
});

test("the page runs its own script alone, nobody may frame it, and a short address leads there", async ({ api }) => {
  const short = await fetch(`${api.baseUrl}/device`, { redirect: "manual" });
  expect([short.status, short.headers.get("location")]).toEqual([302, "api/v1/auth/device"]);
  const page = await api.call("GET", "/api/v1/auth/device");
  const policy = page.headers.get("content-security-policy") ?? "";
  const hash = (tag: string) => {
    const text = new RegExp(`<${tag}>(.*?)</${tag}>`, "s").exec(page.text)?.[1] ?? "";
    return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  };
  expect(policy).toContain(`script-src ${hash("script")}`);
  expect(policy).toContain(`style-src ${hash("style")}`);
  expect(policy).toContain("frame-ancestors 'none'");
});

test("a token that a program got is listed and deleted like any other", async ({ api, world }) => {
  const { cookies, org } = await world.holder();
  const asked = await world.begin();
  await world.answer("POST", asked, cookies, org);
  const { body } = await world.lookLater(asked);
  const token = body.access_token;
  expect((await api.call("GET", TOKENS, { token })).body.items.map(({ id }: { id: string }) => id)).toContain(
    body.token_id,
  );
  expect((await api.call("DELETE", `${TOKENS}/${body.token_id}`, { token })).status).toBe(204);
  expect((await api.call("GET", ME, { token })).status).toBe(401);
});
