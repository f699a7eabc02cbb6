/**
 * What somebody gave as a secret comes back in no answer, event, message, log line or row of the service
 * (docs/rules/secrets.md#every-way-out). The routes are those that the application has.
 */
import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import { everything } from "../support/accessWorld.ts";
import { databaseText, formsIn } from "../support/databaseText.ts";
import { create, decide, makeStack } from "../support/fixtures.ts";
import { routesOfPeople } from "../support/peopleApi.ts";
import { coordinator, makeGroup, PLAN_WITH_CHANGES, runner, startRunnerApi } from "../support/runnerApi.ts";
import { peopleTest } from "../support/test.ts";

const SECRETS = { plan: `plan-${randomBytes(9).toString("hex")}`, today: `today-${randomBytes(9).toString("hex")}` };
const PARAMETER = /:([a-z_]+)/g;
const CHANGE = `${JSON.stringify({
  kind: "resource",
  address: "a.b",
  type: "a",
  provider: "p",
  action: "add",
  actions: ["create"],
  before: null,
  after: { input: "***" },
})}\n`;
/** Below a deployment there is text of its runs: these must have answered. */
const WITH_TEXT = ["", "/events", "/logs", "/plan", "/plan/changes", "/plan/text"];

const test = peopleTest().extend("runners", { scope: "file" }, async ({ api }, { onCleanup }) => {
  const runners = await startRunnerApi(api.database, { keyring: api.keyring, objects: api.objects });
  onCleanup(() => runners.close());
  return runners;
});

test("a secret of a context, of the plan's time and of today's, through a whole deployment", async ({
  api,
  runners,
}) => {
  const ids = await everything(api);
  const org = ids.org_id as string;
  const { sql } = api.database;
  await sql`update organizations set runs_per_hour_limit = 1000 where id = ${org}`;
  const { user } = await api.makeUser({ superAdmin: true, orgs: [org], grants: [["*", "*"]] });
  const variables = (value: string) => [{ name: "TOKEN", value, secret: true }];
  const context = { name: "planted", selector: { planted: "yes" } };
  const contexts = `/api/v1/orgs/${org}/contexts`;
  const made = await api.call("POST", contexts, { user, body: { ...context, variables: variables(SECRETS.plan) } });
  expect(made.status, made.text).toBe(201);

  const group = await makeGroup(api.database, org, { labels: { only: "planted" } });
  const labels = { planted: "yes", "svc:runner-group:only": "planted" };
  const stackKey = await makeStack(api.database, org, { labels: sql.json(labels) });
  const id = await create(runners.service, stackKey);
  const accepted = async () => {
    const one = await runner(runners, group, await (await coordinator(runners, group)).claim(5));
    const answer = await one.accept();
    return { one, given: await answer.text() };
  };
  const plan = await accepted();
  expect(plan.given).toContain(SECRETS.plan);
  await plan.one.seal(0, Buffer.from("planned ***\n"));
  for (const [kind, text] of [
    ["plan", "p"],
    ["changes", CHANGE],
    ["plan-text", "***\n"],
  ] as const) {
    await plan.one.upload(kind, Buffer.from(text));
  }
  await plan.one.done(PLAN_WITH_CHANGES);
  const changed = { ...context, variables: variables(SECRETS.today) };
  expect((await api.call("PUT", `${contexts}/${made.body.id}`, { user, body: changed })).status).toBe(200);
  await decide(runners.service, api.database, id, "confirm", { action: "apply" } as never);
  const apply = await accepted();
  for (const secret of Object.values(SECRETS)) expect(apply.given).toContain(secret);
  const during = await databaseText(sql);
  await apply.one.live(0, Buffer.from("applying ***"));
  await apply.one.done({ status: "failure", error: "it broke: ***", exit_code: 1 });

  const [stack] = await sql`select slug from stacks where stack_key = ${stackKey}`;
  const own: Record<string, string> = { ...ids, stack_id: stack?.slug, id, context_id: made.body.id };
  const filled = (path: string) => path.replace(PARAMETER, (_, key: string) => own[key] ?? "there");
  const paths = [...new Set(routesOfPeople(api).flatMap(({ method, path }) => (method === "GET" ? [path] : [])))];
  const answers = new Map<string, { status: number; text: string }>();
  for (const path of paths) answers.set(filled(path), await api.call("GET", filled(path), { user }));
  const below = `/api/v1/orgs/${org}/stacks/${stack?.slug}/deployments/${id}`;
  for (const path of [...WITH_TEXT.map((rest) => below + rest), contexts, `/api/v1/orgs/${org}/audit-log`]) {
    expect([path, answers.get(path)?.status]).toEqual([path, 200]);
  }
  expect(answers.get(below)?.text).toContain("it broke: ***");

  const runnersAnswers = await Promise.all(
    [apply.one.status(), apply.one.download("plan"), apply.one.accept()].map(async (call) => (await call).text()),
  );
  const everywhere: Record<string, string> = {
    ...Object.fromEntries([...answers].map(([path, { text }]) => [path, text])),
    database: await databaseText(sql),
    "database during the apply": during,
    messages: JSON.stringify([api.service.sent, runners.service.sent]),
    audited: JSON.stringify([api.service.audited, runners.service.audited]),
    "own log": JSON.stringify(api.logged),
    runners: runnersAnswers.join("\n"),
  };
  for (const [place, text] of Object.entries(everywhere)) {
    for (const secret of Object.values(SECRETS)) expect(formsIn(text, secret), place).toEqual([]);
  }
});
