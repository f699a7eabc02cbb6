/** What a person meets at three in the morning: the wrong place, no way there, too narrow a terminal, too much. */
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect } from "vitest";
import { manyChanges } from "../../bench/console/volume.ts";
import { EXIT } from "../../cli/exit/exitCodes.ts";
import { CTRL_C } from "../support/cliProgram.ts";
import { PLANS, cliTest as plain } from "../support/cliTest.ts";

const test = plain.extend("elsewhere", async ({}, { onCleanup }) => {
  const servers: Server[] = [];
  onCleanup(() => {
    for (const server of servers) server.close();
  });
  /** Another program at an address of its own. */
  return async (answer: RequestListener) => {
    const server = createServer(answer);
    await once(server.listen(0, "127.0.0.1"), "listening");
    servers.push(server);
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
});

/** An address where nothing listens any more. */
async function nobody(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return `http://127.0.0.1:${port}`;
}

describe("the wrong server", () => {
  test.for([
    ["with a page for everybody", 200, "text/html"],
    ["with nothing of this kind", 404, "text/html"],
    ["with JSON of its own", 404, "application/json"],
  ] as const)("%s is told apart from the service", async ([, status, type], { world, elsewhere }) => {
    const host = await elsewhere((_, response) => {
      response.writeHead(status, { "content-type": type }).end(type === "text/html" ? "<p>Hello" : "{}");
    });
    const env = { DEPLOY_HOST: host };
    for (const args of [
      ["whoami"],
      ["stacks"],
      ["logs", `x/${"0".repeat(8)}-0000-7000-8000-000000000000`],
      ["login", "--host", host],
    ]) {
      const { code, stdout, stderr } = await world.run(args, { env });
      expect([args, code, stdout, stderr]).toEqual([
        args,
        EXIT.failed,
        "",
        expect.stringContaining("not as this service does"),
      ]);
      expect(stderr).toContain("DEPLOY_HOST");
    }
  });

  test("that sends elsewhere is not followed: the token stays here", async ({ world, elsewhere }) => {
    const asked: (string | undefined)[] = [];
    const there = await elsewhere((request, response) => {
      asked.push(request.headers.authorization);
      response.end();
    });
    const host = await elsewhere((request, response) => {
      response.writeHead(307, { location: `${there}${request.url}` }).end();
    });
    const { code, stderr } = await world.run(["whoami"], { env: { DEPLOY_HOST: host } });
    expect([code, stderr]).toEqual([EXIT.failed, expect.stringContaining(`--host ${there}`)]);
    expect(asked).toEqual([]);
  });
});

describe("without a way to the service", () => {
  test("the reason and what helps are said, and the wait only once", async ({ world }) => {
    const { code, stderr } = await world.run(["stacks"], { env: { DEPLOY_HOST: await nobody() } });
    expect(code).toBe(EXIT.failed);
    expect(stderr.trim().split("\n")).toEqual([
      expect.stringMatching(/ECONNREFUSED.*asked again/),
      expect.stringMatching(/^The service cannot be reached: .*ECONNREFUSED/),
      expect.stringContaining("Nothing listens there"),
    ]);
  });

  test("a name that nobody knows is said to be that", async ({ world }) => {
    const env = { DEPLOY_HOST: "http://nowhere.invalid", DEPLOY_INSECURE: "1" };
    const { code, stderr } = await world.run(["stacks"], { env });
    expect([code, stderr]).toEqual([
      EXIT.failed,
      expect.stringMatching(/nowhere\.invalid[\s\S]*Is this machine connected/),
    ]);
  });

  test("a service that does not speak HTTPS is not asked again and again", async ({ world, elsewhere }) => {
    const host = await elsewhere((_, response) => void response.end());
    const env = { DEPLOY_HOST: host.replace("http:", "https:") };
    const { code, stderr } = await world.run(["stacks"], { env });
    expect([code, stderr]).toEqual([EXIT.failed, expect.stringContaining("speak HTTPS")]);
    expect(stderr).not.toContain("asked again");
  });
});

describe("with a token that has ended", () => {
  test("from the environment, or a profile, it is said what to do", async ({ world }) => {
    await world.api.database.sql`update service_account_tokens set expires_at = svc_now() - interval '1 hour'`;
    const given = await world.run(["stacks"]);
    expect([given.code, given.stderr]).toEqual([
      EXIT.notSignedIn,
      expect.stringContaining("The token in DEPLOY_TOKEN"),
    ]);
  });
});

describe("what is another organization's", () => {
  test("is not there, whether by id, by page or by name", async ({ world }) => {
    const { api } = world;
    const other = await api.makeOrg();
    const stack = await world.stack();
    const { stdout } = await world.run(["plan", stack, "--detach"]);
    const id = stdout.trim();
    const foreign = await api.makeAccount(other, [["*", "*"]]);
    const env = { DEPLOY_ORG: other, DEPLOY_TOKEN: foreign.token };
    for (const args of [
      ["watch", id],
      ["watch", `${stack}/${id}`],
      ["stack", "show", stack],
      ["cancel", id],
    ]) {
      const { code, stderr } = await world.run(args, { env });
      expect([args, code]).toEqual([args, EXIT.notFound]);
      expect(stderr).toMatch(/deploy whoami/);
    }
    const page = `${api.baseUrl}/orgs/${world.org}/stacks/${stack}/deployments/${id}`;
    const ofPage = await world.run(["watch", page], { env });
    expect([ofPage.code, ofPage.stderr]).toEqual([EXIT.usage, expect.stringContaining(`--org ${world.org}`)]);
    const elsewhere = await world.run(["watch", page.replace(api.baseUrl, "https://other.example")]);
    expect([elsewhere.code, elsewhere.stderr]).toEqual([EXIT.usage, expect.stringContaining("https://other.example")]);
    expect((await world.run(["stacks", "--org", "nobody's"], { env })).stderr).toContain("deploy api GET /orgs");
    expect((await world.run(["cancel", id])).code).toBe(EXIT.done);
  });
});

describe("a terminal of 60 columns", () => {
  const widest = (text: string) => Math.max(...text.split("\n").map((line) => line.length));

  test("shows lists and questions without broken lines, however long the names are", async ({ world }) => {
    const { api, org, token } = world;
    const name = `a-stack-with-${"very-".repeat(15)}long-name`;
    const body = { name, repository_url: `https://git.example/${"long/".repeat(30)}infra.git`, branch: "main" };
    expect((await api.call("POST", `/api/v1/orgs/${org}/stacks`, { token, body })).status).toBe(201);
    await world.stack();
    await world.run(["plan", "stack-1", "--detach"]);
    for (const args of [["stacks"], ["ls"], ["queue", "stack-1"], ["events", "stack-1"], ["profile", "list"]]) {
      const program = world.start(args, { terminal: true, columns: 60 });
      expect([args, await program.exited]).toEqual([args, EXIT.done]);
      const own = program.screen.split("\n").filter((line) => !line.includes(name) && !line.includes("long/"));
      expect([args, widest(own.join("\n")) <= 60 ? "fits" : program.screen]).toEqual([args, "fits"]);
      expect(program.stdout).not.toContain("\u001b[2J");
    }
    expect((await world.run(["cancel", "stack-1"])).code).toBe(EXIT.done);
  });

  test("with 10,000 changes shows what destroys first, and where the rest is", async ({ world }) => {
    const stack = await world.stack();
    const program = world.start(["up", stack], { terminal: true, columns: 60 });
    const run = await world.nextRun();
    await run.upload("plan", Buffer.from("plan"));
    const sent = await run.upload("changes", manyChanges(10_000));
    expect([sent.status, sent.ok ? "" : await sent.text()]).toEqual([sent.status, ""]);
    const counts = { ...PLANS.changes.plan_summary.counts, add: 3_267, change: 6_533, destroy: 100, replace: 100 };
    await run.done({ status: "success", plan_summary: { has_changes: true, counts, gaps: [] } });
    await program.sees(/Apply these changes/);
    expect(program.screen).toMatch(/- destroy module[\s\S]*\.\.\. and 9940 more: deploy changes \S+\/\S+/);
    expect(program.screen).not.toMatch(/~ change /);
    program.type(CTRL_C);
    await program.sees(/The plan waits/);
    const whole = await world.run(["changes", stack]);
    expect(whole.stdout.match(/^ *(?:-|-\/\+|~|\+) (?:destroy|replace|change|add) /gm)).toHaveLength(10_000);
    program.type("\r");
    expect(await program.exited).toBe(EXIT.ended);
  }, 120_000);
});

test("NO_COLOR, a dumb terminal and no terminal at all show the same words", async ({ world }) => {
  const stack = await world.stack();
  const shown: string[] = [];
  for (const given of [{ env: { NO_COLOR: "1" }, terminal: true }, { env: { TERM: "dumb" }, terminal: true }, {}]) {
    const program = world.start(["stack", "show", stack], given);
    expect(await program.exited).toBe(EXIT.done);
    expect(program.stdout).not.toContain("\u001b");
    shown.push(program.stdout.replaceAll("\r\n", "\n"));
  }
  expect(new Set(shown).size).toBe(1);
});
