/**
 * The activity log over HTTP: one row for each action of a principal, who it was, oldest first, page by page
 * (docs/rules/transitions.md#the-activity-log).
 */
import { expect } from "vitest";
import { ACTOR, create, decide, makeOrg, makeStack } from "../support/fixtures.ts";
import { peopleTest } from "../support/test.ts";

type Entry = { id: string; kind: string; actor_id: string | null; actor_kind: string | null; created_at: string };

const test = peopleTest()
  .extend("org", { scope: "file" }, ({ api }) => makeOrg(api.database))
  .extend(
    "token",
    { scope: "file" },
    async ({ api, org }) => (await api.makeAccount(org.orgId, [["stack", "read"]])).token,
  )
  .extend("logOf", ({ api, org, token }) => async (settings: object = {}) => {
    const stackKey = await makeStack(api.database, org.orgId);
    const [stack] = await api.database.sql`select slug from stacks where stack_key = ${stackKey}`;
    const id = await create(api.service, stackKey, settings);
    const path = `/api/v1/orgs/${org.orgId}/stacks/${stack?.slug}/deployments/${id}/events`;
    const read = (query = "") => api.call("GET", path + query, { token });
    return { id, read };
  });

test("says what was done and by whom, one row for each action", async ({ api, logOf }) => {
  const { id, read } = await logOf();
  await decide(api.service, api.database, id, "prioritize");
  await decide(api.service, api.database, id, "prioritize");
  await decide(api.service, api.database, id, "deprioritize");
  await decide(api.service, api.database, id, "cancel");
  await decide(api.service, api.database, id, "cancel");
  const { status, body } = await read();
  expect(status).toBe(200);
  expect(body.next_cursor).toBeNull();
  expect(body.items.map(({ kind }: Entry) => kind)).toEqual([
    "created",
    "prioritized",
    "deprioritized",
    "cancellation_requested",
  ]);
  for (const entry of body.items) expect(entry).toMatchObject({ actor_id: ACTOR.id, actor_kind: ACTOR.kind });
});

test("what nobody asked for has no actor", async ({ logOf }) => {
  const { read } = await logOf({ actor: null });
  expect((await read()).body.items).toMatchObject([{ kind: "created", actor_id: null, actor_kind: null }]);
});

test("each entry is on one page, however many are written in one moment; either end first", async ({ api, logOf }) => {
  const { id, read } = await logOf();
  await api.database.sql`
    insert into deployment_events (deployment_id, kind, actor_id, actor_kind, created_at)
    select ${id}, 'confirmed_replan', 'a', 'user', svc_now() from generate_series(1, 120)`;
  const seen: string[] = [];
  for (let cursor = ""; ; ) {
    const { body } = await read(`?limit=50${cursor}`);
    seen.push(...body.items.map((entry: Entry) => entry.id));
    if (body.next_cursor === null) break;
    cursor = `&cursor=${body.next_cursor}`;
  }
  expect(new Set(seen).size).toBe(121);
  expect((await read("?order=desc&limit=200")).body.items.map((entry: Entry) => entry.id)).toEqual(seen.toReversed());
  expect((await read("?limit=0")).status).toBe(422);
  expect((await read("?cursor=x")).status).toBe(422);
});
