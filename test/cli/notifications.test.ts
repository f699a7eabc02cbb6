/** `deploy notifications`: made without a secret among its arguments, tried, listed; what did not arrive goes again. */
import { expect } from "vitest";
import { EXIT } from "../../cli/exit/exitCodes.ts";
import { cliTest as test } from "../support/cliTest.ts";

const ADDRESS = "https://hooks.slack.example/services/canary";

test("one is made with an address from stdin, which is shown nowhere, and is listed", async ({ world }) => {
  const args = ["notifications", "create", "channel", "--as", "slack", "--label", "env=prod", "--input", "-"];
  const made = await world.run(args, { input: `${ADDRESS}\n` });
  expect([made.code, made.stdout]).toEqual([EXIT.done, ""]);
  expect(made.stderr).toContain("channel is told of deployment_waiting_for_confirmation, ");
  const listed = await world.run(["notifications", "list"]);
  expect(listed.stdout).toMatch(/^NAME .*\nchannel +slack +enabled +- +|\nchannel +slack +enabled/);
  expect([made, listed].map(({ stdout, stderr }) => stdout + stderr).join("")).not.toContain("canary");
});

test("of e-mail recipients and server are given, and a refusal names the field", async ({ world }) => {
  const mail = (input: string, ...more: string[]) =>
    world.run(["notifications", "create", "mail", "--as", "email", "--json", "--input", "-", ...more], { input });
  const smtp = { host: "smtp.example", port: 587, username: "u", password: "canary", from: "x@y.example" };
  const made = await mail(JSON.stringify({ smtp }), "--to", "ada@y.example", "--event", "deployment_failed");
  const { password: _, ...shown } = { ...smtp, security: "starttls" };
  expect(JSON.parse(made.stdout)).toMatchObject({
    ...{ provider_type: "email", events: ["deployment_failed"], provider_config: { recipients: ["ada@y.example"] } },
    auth_config_summary: { has_secret: true, smtp: shown },
  });
  expect((await mail("{}", "--to", "nobody")).code).toBe(EXIT.usage);
  expect(await mail(JSON.stringify({ smtp }))).toMatchObject({
    code: EXIT.usage,
    stderr: expect.stringContaining("--to"),
  });
});

test("a test that does not arrive ends so, and an unknown name is told from it", async ({ world }) => {
  await world.run(["notifications", "create", "nowhere", "--as", "teams", "--input", "-"], {
    input: "https://127.0.0.1:9/",
  });
  expect(await world.run(["notifications", "test", "nowhere"])).toMatchObject({
    ...{ code: EXIT.failed, stdout: "no_answer\n" },
  });
  expect((await world.run(["notifications", "test", "other"])).code).toBe(EXIT.notFound);
});

test("what was given up is listed and sent again", async ({ world }) => {
  const made = await world.run(["notifications", "create", "late", "--as", "chat", "--json", "--input", "-"], {
    input: ADDRESS,
  });
  const { id } = JSON.parse(made.stdout);
  const [{ id: delivery } = { id: "" }] = await world.api.database.sql`
    insert into notification_deliveries (org_id, integration_id, domain_event_id, event_type, body, status, attempts, last_error, dead_at)
    values (${world.org}, ${id}, uuidv7(), 'deployment_failed', '{}', 'dead', 9, 'the target answered 503', svc_now()) returning id`;
  const listed = await world.run(["notifications", "deliveries", "--status", "dead"]);
  expect(listed.stdout).toContain("the target answered 503");
  const retried = await world.run(["notifications", "retry", delivery]);
  expect([retried.code, retried.stderr]).toEqual([EXIT.done, expect.stringContaining("sent to late again")]);
});
