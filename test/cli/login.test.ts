/** Signing in from the command line: a person in a browser says yes, and the token is seen by nobody. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { EXIT } from "../../cli/exit/exitCodes.ts";
import { csrfToken } from "../../src/people/sessions/csrf.ts";
import { createSession } from "../../src/people/sessions/sessions.ts";
import type { CliProgram, Started } from "../support/cliProgram.ts";
import { type CliWorld, cliTest } from "../support/cliTest.ts";

const test = cliTest.extend("person", async ({ world }) => {
  const { api, org } = world;
  const { user } = await api.makeUser({ orgs: [org], grants: [["*", "*"]] });
  const session = await createSession(api.database.db, user);
  const headers = { cookie: `svc_session=${session}`, origin: api.baseUrl, "x-csrf-token": csrfToken(session) };
  /** What the page does for the person who reads this code on the screen. */
  const answer = async (method: string, code: string) =>
    api.call(method, `/api/v1/me/device-logins/${code}`, {
      headers,
      ...(method === "POST" ? { body: { org_id: org } } : {}),
    });
  return { user, answer };
});

/** Nothing but the folder of profiles says who one is. */
const NOBODY: Started = { env: { DEPLOY_TOKEN: "", DEPLOY_HOST: "", DEPLOY_ORG: "" } };

async function codeOn(program: CliProgram): Promise<string> {
  await program.sees(/code: [A-Z]{4}-[A-Z]{4}/);
  return /code: ([A-Z-]{9})/.exec(program.screen + program.stderr)![1]!;
}

async function signIn(world: CliWorld, person: { answer(method: string, code: string): Promise<{ status: number }> }) {
  const program = world.start(["login", "--host", world.api.baseUrl, "--no-browser"], { ...NOBODY, terminal: true });
  expect((await person.answer("POST", await codeOn(program))).status).toBe(204);
  expect(await program.exited).toBe(EXIT.done);
  return program;
}

describe("login", () => {
  test("shows a code, waits for the person's word, and then works without any variable", async ({
    world,
    person,
    folder,
  }) => {
    const program = await signIn(world, person);
    expect(program.screen).toMatch(/Signed in as .* for org-/);
    const who = await world.run(["whoami", "--json"], NOBODY);
    expect(JSON.parse(who.stdout)).toMatchObject({ id: person.user, org_id: world.org, host: world.api.baseUrl });
    expect((await world.run(["stacks"], NOBODY)).code).toBe(EXIT.done);
    // The token is in one file of its owner's, and nowhere else.
    const config = join(folder, "config");
    const token = Object.values(JSON.parse(await readFile(join(config, "tokens.json"), "utf8")))[0] as string;
    expect((await stat(join(config, "tokens.json"))).mode & 0o777).toBe(0o600);
    expect((await stat(config)).mode & 0o777).toBe(0o700);
    for (const file of (await readdir(config)).filter((name) => name !== "tokens.json")) {
      expect(await readFile(join(config, file), "utf8")).not.toContain(token);
    }
    for (const text of [program.screen, who.stdout, who.stderr]) expect(text).not.toContain(token);
    const argv = await readFile(`/proc/${process.pid}/cmdline`, "utf8");
    expect(argv).not.toContain(token);
    // Nor does it go to a service that did not give it.
    const elsewhere = await world.run(["whoami"], { env: { ...NOBODY.env, DEPLOY_HOST: "http://127.0.0.1:9" } });
    expect([elsewhere.code, elsewhere.stderr]).toEqual([EXIT.notSignedIn, expect.stringContaining("is signed in at")]);
  });

  test("ends with 4 when the person declines", async ({ world, person }) => {
    const program = world.start(["login", "--host", world.api.baseUrl, "--no-browser"], NOBODY);
    expect((await person.answer("DELETE", await codeOn(program))).status).toBe(204);
    expect(await program.exited).toBe(EXIT.notSignedIn);
    expect(program.stderr).toContain("declined");
  });

  test("takes a token from stdin, and refuses one that is none", async ({ world }) => {
    const program = world.start(["login", "--host", world.api.baseUrl, "--with-token"], {
      ...NOBODY,
      input: `${world.token}\n`,
    });
    expect(await program.exited).toBe(EXIT.done);
    expect((await world.run(["stacks"], NOBODY)).code).toBe(EXIT.done);
    const wrong = world.start(["login", "--host", world.api.baseUrl, "--with-token"], {
      ...NOBODY,
      input: "svc_pat_x\n",
    });
    expect(await wrong.exited).toBe(EXIT.notSignedIn);
    expect(program.stdout + program.stderr + wrong.stderr).not.toContain(world.token);
  });

  test("says so at a service that is too old for it", async ({ world, old }) => {
    const { code, stderr } = await world.run(["login", "--host", await old("/api/v1/auth/device")], NOBODY);
    expect([code, stderr]).toEqual([EXIT.failed, expect.stringContaining("POST /api/v1/auth/device")]);
  });
});

describe("logout", () => {
  test("ends the token at the service and forgets it here", async ({ world, person, folder }) => {
    await signIn(world, person);
    const file = join(folder, "config/tokens.json");
    const [token] = Object.values(JSON.parse(await readFile(file, "utf8"))) as string[];
    expect((await world.run(["logout"], NOBODY)).code).toBe(EXIT.done);
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({});
    expect((await world.api.call("GET", "/api/v1/auth/me", { token: token! })).status).toBe(401);
    expect((await world.run(["whoami"], NOBODY)).code).toBe(EXIT.notSignedIn);
  });
});

test("several sign-ins are told apart by name", async ({ world }) => {
  for (const name of ["one", "two"]) {
    const args = ["login", "--host", world.api.baseUrl, "--with-token", "--profile", name];
    expect(await world.start(args, { ...NOBODY, input: world.token }).exited).toBe(EXIT.done);
  }
  const listed = await world.run(["profile", "list", "--json"], NOBODY);
  expect(
    JSON.parse(listed.stdout).items.map(({ name, current }: { name: string; current: boolean }) => [name, current]),
  ).toEqual([
    ["one", false],
    ["two", true],
  ]);
  expect((await world.run(["profile", "use", "one"], NOBODY)).code).toBe(EXIT.done);
  expect((await world.run(["profile", "rm", "two"], NOBODY)).code).toBe(EXIT.done);
  expect((await world.run(["whoami", "--profile", "two"], NOBODY)).code).toBe(EXIT.usage);
  expect((await world.run(["whoami"], NOBODY)).code).toBe(EXIT.done);
});
