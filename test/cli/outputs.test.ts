/** `deploy output`: values for people and for scripts, and what is sensitive only for who asks for it by name. */
import { describe, expect } from "vitest";
import { EXIT } from "../../cli/exit/exitCodes.ts";
import { type CliWorld, PLANS, cliTest as test } from "../support/cliTest.ts";

const DIGITS = "123456789012345678901234567890";
const SECRET = "correct-horse-battery";
const OUTPUTS = [
  { name: "vpc_id", type: '"string"', sensitive: false, value: '"vpc-1"' },
  { name: "digits", type: '"number"', sensitive: false, value: DIGITS },
  { name: "zones", type: '["list","string"]', sensitive: false, value: '["a","b"]' },
  { name: "password", type: '"string"', sensitive: true, value: JSON.stringify(SECRET) },
];

/** Applied, with these. */
async function applied(world: CliWorld): Promise<string> {
  const stack = await world.stack();
  const program = world.start(["up", stack, "--auto-approve", "--quiet"]);
  await world.plan(PLANS.changes);
  const run = await world.nextRun();
  expect((await run.call("PUT", `/runs/${run.run_id}/outputs`, { outputs: OUTPUTS })).status).toBe(204);
  await world.finish(run, { status: "success" });
  expect(await program.exited).toBe(EXIT.done);
  return stack;
}

test("all of them, with the engine's digits, and nothing of what is sensitive", async ({ world }) => {
  const stack = await applied(world);
  const listed = await world.run(["outputs", stack]);
  expect(listed).toMatchObject({
    code: EXIT.done,
    stdout: `vpc_id = "vpc-1"\ndigits = ${DIGITS}\nzones = [\n  "a",\n  "b"\n]\npassword = <sensitive>\n`,
    stderr: "",
  });
  const { stdout } = await world.run(["output", "--stack", stack, "--json"]);
  expect(stdout).toContain(`"value":${DIGITS}`);
  expect(stdout).not.toContain(SECRET);
  expect(JSON.parse(stdout)).toMatchObject({ known: true, items: [{ value: "vpc-1" }, {}, { value: ["a", "b"] }, {}] });
});

describe("one", () => {
  test("as a script takes it", async ({ world }) => {
    const stack = await applied(world);
    const raw = async (name: string) => (await world.run(["output", name, "--raw", "--stack", stack])).stdout;
    expect([await raw("vpc_id"), await raw("digits")]).toEqual(["vpc-1", DIGITS]);
    const list = await world.run(["output", "zones", "--raw", "--stack", stack]);
    expect(list).toMatchObject({
      code: EXIT.usage,
      stdout: "",
      stderr: expect.stringContaining("output zones --json"),
    });
    const json = await world.run(["output", "zones", "--json", "--stack", stack]);
    expect(JSON.parse(json.stdout)).toEqual({
      name: "zones",
      type: ["list", "string"],
      sensitive: false,
      value: ["a", "b"],
    });
    expect((await world.run(["output", "vpc_id", "--stack", stack])).stdout).toBe('"vpc-1"\n');
  });

  test("that is sensitive, for who asks for it, as an entry of the trail", async ({ world }) => {
    const stack = await applied(world);
    const hidden = await world.run(["output", "password", "--stack", stack]);
    expect(hidden).toMatchObject({
      code: EXIT.done,
      stdout: "<sensitive>\n",
      stderr: expect.stringContaining("password --stack"),
    });
    expect((await world.run(["output", "password", "--raw", "--stack", stack])).stdout).toBe(SECRET);
    const { sql } = world.api.database;
    expect(
      await sql`select action, details->>'output' as output from audit_log
      where org_id = ${world.org} and action like 'output.%'`,
    ).toEqual([{ action: "output.read", output: "password" }]);
    const { token } = await world.api.makeAccount(world.org, [["stack", "read_outputs"]]);
    const refused = await world.run(["output", "password", "--raw", "--stack", stack], {
      env: { DEPLOY_TOKEN: token },
    });
    expect(refused).toMatchObject({
      code: EXIT.notFound,
      stdout: "",
      stderr: expect.stringContaining("(stack, read_state)"),
    });
  });

  test("that is not there: which there are, or what to do first", async ({ world }) => {
    const stack = await applied(world);
    const wrong = await world.run(["output", "vpc", "--stack", stack]);
    expect([wrong.code, wrong.stderr]).toEqual([EXIT.notFound, expect.stringContaining("There are: vpc_id, digits")]);
    const fresh = await world.stack();
    const none = await world.run(["output", "vpc_id", "--stack", fresh]);
    expect([none.code, none.stderr]).toEqual([EXIT.notFound, expect.stringContaining(`Run: deploy up ${fresh}`)]);
    const nowhere = await world.run(["outputs", "nowhere"]);
    expect(nowhere.code).toBe(EXIT.notFound);
    expect((await world.run(["output", "--raw", "--stack", stack])).code).toBe(EXIT.usage);
  });
});
