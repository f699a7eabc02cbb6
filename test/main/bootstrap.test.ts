/** `npm run admin`: the first organization, tokens, super-admins, in a process of its own. */
import { execFile } from "node:child_process";
import { createPublicKey } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect } from "vitest";
import { fingerprintOf } from "../../src/core/runnerIdentity/keys.ts";
import { admin } from "../../src/main/admin.ts";
import { bootstrap } from "../../src/main/operator/bootstrap.ts";
import { UsageError } from "../../src/main/operator/commandLine.ts";
import { loggedError } from "../../src/platform/telemetry/loggedError.ts";
import { peopleTest } from "../support/test.ts";

const run = promisify(execFile);

const test = peopleTest().extend("world", ({ api }) => {
  const settings = () => ({ SVC_DATABASE_URL: api.database.url, SVC_EXPLORE_DATABASE_URL: api.database.url });
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  const command = async (...args: string[]): Promise<any> => admin(args, settings());

  /** The program itself, in a process of its own. */
  async function program(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const env = { PATH: process.env.PATH, ...settings() };
    const entry = new URL("../../src/main/admin.ts", import.meta.url).pathname;
    return run(process.execPath, [entry, ...args], { env }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error) => ({ code: error.code, stdout: error.stdout, stderr: error.stderr }),
    );
  }

  return { settings, command, program };
});

describe("bootstrap", () => {
  test("makes an organization, an admin token and a runner group once; again, it changes nothing", async ({
    api,
    folder,
    world,
  }) => {
    const keyFile = join(folder, "keys", "group.pem");
    const args = [
      "bootstrap",
      "--org",
      "First",
      "--runs-per-hour",
      "500",
      "--runner-group",
      "local",
      "--runner-key-file",
      keyFile,
    ];
    const first = await world.program(...args);
    expect(first.stderr).toBe("");
    const made = JSON.parse(first.stdout);
    expect(made).toMatchObject({ org_name: "First", runs_per_hour_limit: 500, runner_key_valid: true });

    const token = made.admin_token;
    const org = await api.call("GET", `/api/v1/orgs/${made.org_id}`, { token });
    expect(org.body).toMatchObject({
      name: "First",
      runs_per_hour_limit: 500,
      default_runner_group_id: made.runner_group_id,
    });
    const stack = {
      name: "S",
      repository_url: "https://git.example/r",
      branch: "main",
      auto_approve_mode: "auto",
      authz_groups: ["x"],
    };
    expect((await api.call("POST", `/api/v1/orgs/${made.org_id}/stacks`, { token, body: stack })).status).toBe(201);

    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
    const group = await api.call("GET", `/api/v1/orgs/${made.org_id}/runner-groups/${made.runner_group_id}`, { token });
    const ofFile = createPublicKey(await readFile(keyFile)).export({ type: "spki", format: "pem" }) as string;
    expect(group.body.public_key_fingerprint).toBe(fingerprintOf(ofFile));

    const again = await world.command(...args);
    expect(again).toEqual({ ...made, admin_token: null });
    const fresh = await world.command(...args, "--new-token");
    expect((await api.call("GET", "/api/v1/auth/me", { token: fresh.admin_token })).body.id).toBe(
      made.service_account_id,
    );
    expect((await api.call("GET", "/api/v1/auth/me", { token })).status).toBe(200);
  });

  test("two at once make one organization", async ({ api }) => {
    const options = { orgName: "Twice", runsPerHour: 1, maxUsers: 1 };
    const both = await Promise.all([bootstrap(api.database.db, options), bootstrap(api.database.db, options)]);
    expect(new Set(both.map((made) => made.org_id)).size).toBe(1);
    expect(both.filter((made) => made.admin_token !== null)).toHaveLength(1);
  });

  test("leaves an organization alone that somebody gave the name, and takes one that is named by its id", async ({
    api,
  }) => {
    const { sql, db } = api.database;
    const options = { orgName: "Wanted", runsPerHour: 1, maxUsers: 1 };
    const squatted = await api.makeOrg("Wanted");
    await expect(bootstrap(db, options)).rejects.toThrow(/that bootstrap did not make/);
    expect(await sql`select from service_accounts where org_id = ${squatted}`).toHaveLength(0);
    const own = await api.makeOrg("Own");
    expect((await bootstrap(db, { ...options, orgId: own })).org_id).toBe(own);
    // From then on it is that one, whatever it is called, and whoever else takes the name.
    await sql`update organizations set name = 'Renamed' where id = ${own}`;
    expect((await bootstrap(db, options)).org_id).toBe(own);
    const entries = await sql`select action, actor_kind from audit_log where org_id = ${own} order by id`;
    expect(entries.map(({ action }) => action)).toEqual([
      "organization.update",
      "service_account.create",
      "service_account_token.create",
    ]);
    expect(entries.every(({ actor_kind }) => actor_kind === "operator")).toBe(true);
  });

  test("takes a key that an interrupted attempt left, and says when file and group differ", async ({ api, folder }) => {
    const keyFile = join(folder, "left.pem");
    const options = (orgName: string, file = keyFile) => ({
      orgName,
      runsPerHour: 1,
      maxUsers: 1,
      runnerGroup: { name: "g", keyFile: file },
    });
    await bootstrap(api.database.db, options("Left A"));
    const key = await readFile(keyFile, "utf8");
    const reused = await bootstrap(api.database.db, options("Left B"));
    expect(reused.runner_key_valid).toBe(true);
    expect(await readFile(keyFile, "utf8")).toBe(key);
    await api.database.sql`update runner_groups set name = 'renamed' where id = ${reused.runner_group_id}`;
    const renamed = await bootstrap(api.database.db, options("Left B"));
    expect(renamed).toMatchObject({ runner_group_id: reused.runner_group_id, runner_key_valid: true });
    await api.database.sql`update runner_groups set name = 'g' where id = ${reused.runner_group_id}`;
    const other = await bootstrap(api.database.db, options("Left B", join(folder, "absent.pem")));
    expect(other.runner_key_valid).toBe(false);
    await writeFile(join(folder, "bad.pem"), "secret text");
    const refused = await bootstrap(api.database.db, options("Left C", join(folder, "bad.pem"))).catch(
      (error) => error,
    );
    expect(refused.message).toMatch(/holds no ECDSA P-256 private key/);
    const rows = await api.database.sql`select 1 from organizations where name = 'Left C'`;
    expect(rows).toHaveLength(0);
  });
});

describe("other commands", () => {
  test("token mints one for an account by name", async ({ api, world }) => {
    const made = await bootstrap(api.database.db, { orgName: "Tokens", runsPerHour: 1, maxUsers: 1 });
    const { token, name } = await world.command(
      "token",
      made.org_id,
      "bootstrap",
      "--lifetime",
      "PT1H",
      "--name",
      "drill",
    );
    expect(name).toBe("drill");
    expect((await api.call("GET", "/api/v1/auth/me", { token })).body.pat_name).toBe("drill");
    await expect(world.command("token", made.org_id, "nobody")).rejects.toThrow(
      /no such organization or service account/,
    );
    await expect(world.command("token", made.org_id, "bootstrap", "--lifetime", "P9999D")).rejects.toThrow(
      /--lifetime/,
    );
  });

  test("mends its own account where it is asked to, says what was wrong, and changes nothing that is right", async ({
    api,
  }) => {
    const { sql, db } = api.database;
    const start = (token: string | undefined) =>
      bootstrap(db, { orgName: "Mended", runsPerHour: 1, maxUsers: 1, mend: { token } });
    const first = await start(undefined);
    const token = first.admin_token!;
    const me = async (by: string) =>
      (await api.call("GET", `/api/v1/orgs/${first.org_id}/members`, { token: by })).status;
    expect([first.mended, await me(token)]).toEqual([[], 200]);
    expect(await start(token)).toMatchObject({ admin_token: null, mended: [] });

    await sql`delete from role_assignments where service_account_id = ${first.service_account_id}`;
    expect(await me(token)).not.toBe(200);
    const assigned = await start(token);
    expect([assigned.admin_token, assigned.mended, await me(token)]).toEqual([
      null,
      [expect.stringContaining("role admin")],
      200,
    ]);

    // Another token of the account is none that anybody has printed.
    await sql`update service_account_tokens set token_sha256 = sha256('other') where service_account_id = ${first.service_account_id}`;
    const minted = await start(token);
    expect([minted.mended, await me(minted.admin_token!)]).toEqual([[expect.stringContaining("the token")], 200]);

    await sql`update service_accounts set disabled_at = svc_now() where id = ${first.service_account_id}`;
    const enabled = await start(minted.admin_token!);
    expect([enabled.mended, await me(minted.admin_token!)]).toEqual([[expect.stringContaining("disabled")], 200]);

    await sql`delete from service_accounts where id = ${first.service_account_id}`;
    const made = await start(minted.admin_token!);
    expect([made.mended, await me(made.admin_token!)]).toEqual([[expect.stringContaining("the token")], 200]);
  });

  test("an account that was disabled gets no token, and bootstrap says that there is none", async ({ api, world }) => {
    const options = { orgName: "Disabled", runsPerHour: 1, maxUsers: 1 };
    const made = await bootstrap(api.database.db, options);
    const operator = await api.makeUser({ superAdmin: true });
    const path = `/api/v1/orgs/${made.org_id}/service-accounts/${made.service_account_id}/disable`;
    expect((await api.call("POST", path, operator)).status).toBe(200);
    expect((await bootstrap(api.database.db, options)).admin_token).toBeNull();
    const { code, stdout, stderr } = await world.program("token", made.org_id, "bootstrap");
    expect([code, stdout, stderr]).toEqual([1, "", "This service account is disabled. Enable it first.\n"]);
  });

  test("promote-super-admin, and demote-super-admin", async ({ api, world }) => {
    const { user } = await api.makeUser();
    expect(await world.command("promote-super-admin", user)).toEqual({ user_id: user, is_super_admin: true });
    expect((await api.call("GET", "/api/v1/auth/me", { user })).body.is_super_admin).toBe(true);
    expect((await api.call("GET", "/api/v1/users", { user })).status).toBe(200);
    expect(await world.command("demote-super-admin", user)).toEqual({ user_id: user, is_super_admin: false });
    expect((await api.call("GET", "/api/v1/users", { user })).status).toBe(403);
    for (const name of ["promote-super-admin", "demote-super-admin"]) {
      await expect(world.command(name, "nobody")).rejects.toThrow(UsageError);
    }
    const entries = await api.database.sql`
      select action, org_id, actor_id, actor_kind from audit_log where resource_id = ${user} order by id`;
    const by = { org_id: null, actor_id: expect.stringMatching(/^operator:/), actor_kind: "operator" };
    expect(entries).toEqual([
      { action: "user.promote", ...by },
      { action: "user.demote", ...by },
    ]);
  });

  test("migrate is a no-op when there is nothing to do", async ({ world }) => {
    expect(await world.command("migrate")).toEqual({ applied: [], explore_applied: [] });
  });

  test("a wrong command line says how it goes, and exits 1", async ({ world }) => {
    for (const args of [[], ["nonsense"], ["bootstrap", "--what"], ["token"], ["bootstrap", "--runner-group", "x"]]) {
      await expect(world.command(...args)).rejects.toThrow(/npm run admin -- /);
    }
    const { code, stdout, stderr } = await world.program("token");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^wrong number of arguments\nusage: npm run admin -- token/);
  });

  test("without a database it says so in one line, without the address", async ({ world }) => {
    const gone = { ...world.settings(), SVC_DATABASE_URL: "postgres://svc:canary@127.0.0.1:9/none" };
    const error = await admin(["promote-super-admin", "x"], gone).catch((thrown) => thrown);
    expect(JSON.stringify(loggedError(error))).not.toContain("canary");
  });
});
