/**
 * What people read of a plan: its summary, its changes page by page, and its text; never the engine's own JSON
 * (docs/rules/runner-protocol.md#artifacts).
 */
import { randomBytes } from "node:crypto";
import { test as base, expect } from "vitest";
import type { PlanChange } from "../../src/core/runs/planChange.ts";
import { create, decide, makeOrg, makeStack } from "../support/fixtures.ts";
import { startPeopleApi } from "../support/peopleApi.ts";
import { coordinator, PLAN_WITH_CHANGES, runner, startRunnerApi } from "../support/runnerApi.ts";

type Planner = Awaited<ReturnType<typeof runner>>;

function change(number: number, more: Partial<PlanChange> = {}): PlanChange {
  return {
    kind: "resource",
    address: `terraform_data.n[${number}]`,
    type: "terraform_data",
    provider: "terraform.io/builtin/terraform",
    action: "add",
    actions: ["create"],
    before: null,
    after: { input: "Größe" },
    ...more,
  };
}

const asLines = (changes: readonly object[]) => Buffer.from(changes.map((one) => `${JSON.stringify(one)}\n`).join(""));

async function planned(planner: Planner, changes: Uint8Array, text = "a plan\n"): Promise<void> {
  await planner.upload("plan", randomBytes(8));
  await planner.upload("plan-json", Buffer.from('{"secret":"hunter2-hunter2"}'));
  await planner.upload("changes", changes);
  await planner.upload("plan-text", Buffer.from(text));
  expect((await planner.done(PLAN_WITH_CHANGES)).status).toBe(204);
}

const test = base
  .extend("people", { scope: "file" }, async ({}, { onCleanup }) => {
    const people = await startPeopleApi();
    onCleanup(() => people.close());
    return people;
  })
  .extend("runners", { scope: "file" }, async ({ people }, { onCleanup }) => {
    const { objects, keyring } = people;
    const runners = await startRunnerApi(people.database, { objects, keyring, artifactBytes: 100_000_000 });
    onCleanup(() => runners.close());
    return runners;
  })
  .extend("world", { scope: "file" }, async ({ people, runners }) => {
    const org = await makeOrg(people.database);
    const token = (await people.makeAccount(org.orgId, [["stack", "read"]])).token;

    async function nextRunner() {
      const started = await runner(runners, org, await (await coordinator(runners, org)).claim());
      await started.accept();
      return started;
    }

    async function planning() {
      const stackKey = await makeStack(people.database, org.orgId);
      const [stack] = await people.database.sql`select slug from stacks where stack_key = ${stackKey}`;
      const deploymentId = await create(runners.service, stackKey);
      const base = `/api/v1/orgs/${org.orgId}/stacks/${stack?.slug}/deployments/${deploymentId}/plan`;
      const planner = await nextRunner();
      return { deploymentId, base, planner };
    }
    const get = (path: string) => people.call("GET", path, { token });

    async function allPages(path: string, query: string) {
      const pages: PlanChange[][] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page = await get(`${path}/changes?${query}${cursor && `&cursor=${cursor}`}`);
        expect(page.status).toBe(200);
        pages.push(page.body.items);
        cursor = page.body.next_cursor;
      }
      return pages;
    }

    return { planning, nextRunner, get, allPages, org };
  });

test("the summary, what is stored, and which run it was; 404 until there is a plan", async ({ world }) => {
  const { base, planner } = await world.planning();
  const early = await world.get(base);
  expect(early.body).toMatchObject({ run_id: planner.run_id, status: "running", summary: null, changes: null });
  expect((await world.get(`${base}/changes`)).body).toMatchObject({
    code: "not_found",
    detail: "The plan is still being made.",
  });
  await planned(planner, asLines([change(1)]));
  const { status, body } = await world.get(base);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    run_id: planner.run_id,
    kind: "plan_run",
    status: "success",
    targets: [],
    summary: PLAN_WITH_CHANGES.plan_summary,
    newest: true,
    apply_run_id: null,
    changes: { size: asLines([change(1)]).length },
    text: { size: 7 },
  });
  expect(JSON.stringify(body)).not.toContain("object_key");
  const text = await world.get(`${base}/text`);
  expect([text.text, text.headers.get("content-type")]).toEqual(["a plan\n", "text/plain; charset=utf-8"]);
  for (const word of ["plan", "plan-json", "analysis"]) expect((await world.get(`${base}/${word}`)).status).toBe(404);
});

test("changes page by page: each once, in order, also filtered", async ({ world }) => {
  const { base, planner } = await world.planning();
  const changes = Array.from({ length: 25 }, (_, number) =>
    change(number, number % 5 === 0 ? { action: "destroy", kind: number === 0 ? "drift" : "resource" } : {}),
  );
  await planned(planner, asLines(changes));
  for (const limit of [1, 7, 25, 200]) {
    const pages = await world.allPages(base, `limit=${limit}`);
    expect(pages.flat()).toEqual(changes);
    expect(pages).toHaveLength(Math.ceil(25 / limit));
  }
  const destroyed = changes.filter(({ action }) => action === "destroy");
  expect((await world.allPages(base, "limit=2&action=destroy,replace")).flat()).toEqual(destroyed);
  expect((await world.allPages(base, "kind=drift&action=destroy")).flat()).toEqual([changes[0]]);
  expect((await world.get(`${base}/changes?action=explode`)).status).toBe(422);
  expect((await world.get(`${base}/changes?cursor=x`)).status).toBe(422);
  expect((await world.get(`${base}/changes?limit=0`)).status).toBe(422);
});

test("all changes at once, a line each, with what forces and what hides, compressed and not sent twice", async ({
  people,
  world,
}) => {
  const { base, planner } = await world.planning();
  const forced = { replace_paths: [["a", 0]], hidden_changes: [["b"]], reason: "replace_because_tainted" };
  const changes = Array.from({ length: 300 }, (_, number) =>
    change(number, number % 100 === 0 ? { action: "replace", ...forced } : {}),
  );
  await planned(planner, asLines(changes));
  const token = (await people.makeAccount(world.org.orgId, [["stack", "read"]])).token;
  const ask = (query: string, headers: Record<string, string> = {}) =>
    people.call("GET", `${base}/changes${query}`, { token, headers: { accept: "application/x-ndjson", ...headers } });
  const all = await ask("");
  expect([all.status, all.headers.get("content-type"), all.headers.get("x-plan-run")]).toEqual([
    200,
    "application/x-ndjson",
    planner.run_id,
  ]);
  const lines = (text: string) =>
    text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  expect(lines(all.text)).toEqual(changes);
  expect(lines((await ask("?action=replace")).text)).toEqual(changes.filter(({ action }) => action === "replace"));
  const packed = await ask("", { "accept-encoding": "gzip" });
  expect(packed.headers.get("content-encoding")).toBe("gzip");
  expect((await ask("", { "if-none-match": all.headers.get("etag") as string })).status).toBe(304);
  for (const query of ["?limit=5", "?cursor=x"]) expect((await ask(query)).status).toBe(422);
});

test("after a replan the newest plan is shown, an older one by its run, and pages begun stay with their plan", async ({
  runners,
  people,
  world,
}) => {
  const { deploymentId, base, planner } = await world.planning();
  await planned(planner, asLines([change(1), change(2)]), "first\n");
  const { body: page } = await world.get(`${base}/changes?limit=1`);
  await decide(runners.service, people.database, deploymentId, "confirm", { action: "replan" } as never);
  const second = await world.nextRunner();
  await planned(second, asLines([change(3)]), "second\n");
  expect((await world.get(`${base}/text`)).text).toBe("second\n");
  expect((await world.get(`${base}/text?run_id=${planner.run_id}`)).text).toBe("first\n");
  expect((await world.get(`${base}?run_id=${planner.run_id}`)).body).toMatchObject({ newest: false });
  const rest = await world.get(`${base}/changes?limit=1&cursor=${page.next_cursor}`);
  expect(rest.body).toEqual({ run_id: planner.run_id, items: [change(2)], next_cursor: null });
  expect((await world.get(`${base}/changes?run_id=${second.run_id}&cursor=${page.next_cursor}`)).status).toBe(422);
  await decide(runners.service, people.database, deploymentId, "confirm", { action: "apply" } as never);
  const applier = await world.nextRunner();
  expect((await world.get(base)).body).toMatchObject({ run_id: second.run_id, apply_run_id: applier.run_id });
  expect((await world.get(`${base}?run_id=${applier.run_id}`)).status).toBe(404);
  expect((await world.get(`${base}?run_id=${deploymentId}`)).status).toBe(404);
});

test("a run that stored nothing for people, and one of a list that cannot be read", async ({ world }) => {
  const bare = await world.planning();
  await bare.planner.upload("plan", randomBytes(8));
  await bare.planner.done(PLAN_WITH_CHANGES);
  expect((await world.get(`${bare.base}/changes`)).status).toBe(404);
  expect((await world.get(`${bare.base}/text`)).status).toBe(404);
  const deep = JSON.stringify(change(1)).replace('{"input":"Größe"}', `${"[".repeat(500_000)}${"]".repeat(500_000)}`);
  for (const wrong of ["[]\n", "{}\n", "no json", deep, `${JSON.stringify(change(1))}\n${"x".repeat(3_000_000)}`]) {
    const { base, planner } = await world.planning();
    await planned(planner, Buffer.from(wrong));
    expect((await world.get(`${base}/changes`)).body).toMatchObject({ status: 502, code: "upstream_unavailable" });
  }
});

test("a cursor that was not given out is refused, wherever in the list it points", async ({ world }) => {
  const { base, planner } = await world.planning();
  await planned(planner, asLines([change(1), change(2), change(3)]));
  const { next_cursor } = (await world.get(`${base}/changes?limit=1`)).body;
  const [sort, offset, runId] = JSON.parse(Buffer.from(next_cursor, "base64url").toString("utf8"));
  const at = (place: number) =>
    world.get(`${base}/changes?cursor=${Buffer.from(JSON.stringify([sort, place, runId])).toString("base64url")}`);
  expect((await at(offset)).body.items).toEqual([change(2), change(3)]);
  for (const place of [1, offset - 1, offset + 1, 1_000_000, Number.MAX_SAFE_INTEGER]) {
    expect((await at(place)).body, String(place)).toMatchObject({ status: 422, errors: [{ field: "cursor" }] });
  }
});

test("who may not read the stack learns nothing", async ({ people, world }) => {
  const { base, planner } = await world.planning();
  await planned(planner, asLines([change(1)]));
  const stranger = await people.makeAccount(world.org.orgId, [["org", "read"]]);
  for (const path of [base, `${base}/changes`, `${base}/text`, `${base}/changes?limit=0`]) {
    const { status, body } = await people.call("GET", path, { token: stranger.token });
    expect([status, body.code]).toEqual([404, "not_found"]);
    expect(body.detail).toContain("or you may not see it");
  }
});

test("changes of 50 MB: the last page is as readable as the first, and health answers meanwhile", async ({
  people,
  world,
}) => {
  const { base, planner } = await world.planning();
  const filler = "x".repeat(10_000);
  const changes = Array.from({ length: 5_000 }, (_, number) =>
    change(number, number === 4_999 ? { action: "destroy" } : { after: { filler } }),
  );
  await planned(planner, asLines(changes));
  let slowest = 0;
  let searching = true;
  const watch = (async () => {
    while (searching) {
      const from = performance.now();
      await people.call("GET", "/healthz");
      slowest = Math.max(slowest, performance.now() - from);
    }
  })();
  const found = await world.get(`${base}/changes?action=destroy`);
  searching = false;
  await watch;
  expect(found.body.items).toEqual([changes[4_999]]);
  expect(slowest).toBeLessThan(1_000);
  const [first = []] = [(await world.get(`${base}/changes?limit=200`)).body.items];
  // A page is limited in bytes too.
  expect(first.length).toBeGreaterThan(50);
  expect(first.length).toBeLessThan(110);
});
