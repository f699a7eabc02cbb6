/**
 * The console in a real browser over the product's own API: how soon a page is there on a slow line, plans of ten
 * thousand changes, a log of 100 MiB, a graph, how soon a change is on screen; what axe finds on every page, and
 * whether keys alone are enough.
 */
import { randomUUID } from "node:crypto";
import { buildConsole } from "../src/main/dev/consoleBuild.ts";
import { createSession } from "../src/people/sessions/sessions.ts";
import { accessibilityFindings, THEMES } from "./console/accessibility.ts";
import { byKeyboardAlone } from "./console/keyboard.ts";
import { allPages } from "./console/pages.ts";
import { changeToPixels, drawnGraph, firstLoad, longLog, manyStacks, tenThousandChanges } from "./console/visits.ts";
import { type BenchWindow, isWhole, launch, openWindow } from "./console/window.ts";
import { layeredGraph, storeLog, storePlan } from "./console/world.ts";
import { atMost, type Bench, type BenchContext, type BenchResult, exactly, rounded } from "./harness/bench.ts";
import { startPrograms } from "./harness/programs.ts";
import { insertStacks } from "./harness/rows.ts";
import { claimNext, openFleet } from "./harness/runner.ts";
import { limitsText, seedOrg, seedPendingRuns, selectorOf, settle, WIDE_LIMITS } from "./harness/seed.ts";
import { benchPostgres } from "./harness/servers.ts";
import { median, percentile } from "./harness/statistics.ts";

const STACKS = 10_000;
const DRAWN = 300;
const ROUNDS = 3;

export const bench: Bench = {
  what: "the console in a browser: first load, 10,000 changes, a log of 100 MiB, a graph, change to pixels, axe, keys",
  limitSeconds: 1_200,
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const { say, closers } = context;
  say(limitsText(WIDE_LIMITS));
  await buildConsole(say);
  const world = await seeded(context);
  const browser = await launch();
  closers.add(() => browser.close());
  const complaints: string[] = [];
  const visited = async <T>(work: (window: BenchWindow) => Promise<T>): Promise<T> => {
    const window = await openWindow(browser, world.baseUrl, await world.session());
    try {
      return await work(window);
    } finally {
      complaints.push(...window.complaints);
      await window.close();
    }
  };
  const rounds = async <T>(work: (window: BenchWindow) => Promise<T>): Promise<T[]> => {
    const results: T[] = [];
    for (let round = 0; round < ROUNDS; round++) results.push(await visited(work));
    return results;
  };
  const { org, planned, logged, live } = world;
  const loads = await rounds((window) => firstLoad(window, `/orgs/${org}`));
  say(`first load ${JSON.stringify(loads)}`);
  const plans = await rounds((window) => tenThousandChanges(window, planned.path));
  say(`10,000 changes ${JSON.stringify(plans)}`);
  const logs = await rounds((window) => longLog(window, logged.path));
  say(`100 MiB ${JSON.stringify(logs)}`);
  const lists = await rounds((window) => manyStacks(window, `/orgs/${org}/stacks`));
  const graphs = await rounds((window) => drawnGraph(window, `/orgs/${world.graph}/graph`, DRAWN));
  say(`graph ${JSON.stringify(graphs)}`);
  const pixels = await visited((window) => changeToPixels(window, live.path, live.id, world.sql));
  const findings = await visited((window) =>
    findingsOf(window, allPages({ org, stack: world.stack, deployment: planned.id })),
  );
  const withoutMouse = await byKeyboardAlone();
  for (const line of [...complaints, ...findings].slice(0, 20)) say(`complaint: ${line}`);
  if (withoutMouse !== "") say(withoutMouse.slice(-2_000));
  const middle = (values: number[]) => rounded(median(values));
  return {
    figures: {
      plan_first_rows_ms: middle(plans.map(({ first }) => first)),
      log_first_lines_ms: middle(logs.map(({ first }) => first)),
      complaints,
      findings,
    },
    bars: {
      first_load_kib: atMost(middle(loads.map(({ kib }) => kib)), 170),
      largest_paint_ms: atMost(middle(loads.map(({ paint }) => paint)), 800),
      plan_all_rows_ms: atMost(middle(plans.map(({ all }) => all)), 1_500),
      plan_filter_ms: atMost(middle(plans.map(({ filter }) => filter)), 100),
      plan_scroll_p95_ms: atMost(middle(plans.map(({ scroll }) => scroll)), 33),
      log_whole_ms: atMost(middle(logs.map(({ whole }) => whole)), 3_000),
      log_search_ms: atMost(middle(logs.map(({ search }) => search)), 700),
      stacks_first_row_ms: atMost(middle(lists), 600),
      graph_drawn_ms: atMost(middle(graphs.map(({ shown }) => shown)), 1_000),
      graph_blocked_ms: atMost(middle(graphs.map(({ blocked }) => blocked)), 50),
      change_to_pixels_p95_ms: atMost(rounded(percentile(pixels, 0.95)), 300),
      axe_findings: exactly(findings.length, 0),
      keyboard_failures: exactly(withoutMouse === "" ? 0 : 1, 0),
      complaints: exactly(complaints.length, 0),
    },
  };
}

async function seeded(context: BenchContext) {
  const server = await benchPostgres(context);
  const { url: databaseUrl, sql, db } = await server.database("bench", 2);
  const org = await seedOrg(sql, WIDE_LIMITS);
  const [stack] = await insertStacks(sql, org.orgId, STACKS);
  await seedPendingRuns(sql, org.orgId, [stack!.stack_key], [await selectorOf(sql, org.orgId, {})], 3);
  await settle(sql, "stacks", "deployments", "runs");
  const user = `bench:${randomUUID()}`;
  await sql`insert into users (id, provider_key, issuer, subject, login, is_super_admin)
    values (${user}, 'bench', '', ${user}, 'bench', true)`;
  // Sessions are of the address that people use; nothing is changed by one here.
  const env = { SVC_BACKEND_PUBLIC_BASE_URL: "http://127.0.0.1:1" };
  // Nothing listens there: what is looked at needs no workflow.
  const [api] = await startPrograms(context, { databaseUrl, temporalAddress: "127.0.0.1:9", workers: 0, env });
  const { baseUrl } = api!;
  const fleet = await openFleet(baseUrl, org.group, context.folder);
  const next = async () => {
    const claim = await claimNext(fleet);
    const runner = await fleet.runner(claim);
    await runner.accept();
    const [row] = await sql`select deployment_id from runs where id = ${claim.run_id}`;
    const id = row?.deployment_id as string;
    return { runner, id, path: `/orgs/${org.orgId}/stacks/${stack!.slug}/deployments/${id}` };
  };
  const planned = await next();
  await storePlan(context.folder, planned.runner, await fleet.planFile());
  const logged = await next();
  await storeLog(logged.runner);
  const live = await next();
  const graph = await layeredGraph(sql);
  context.say("a plan of 10,000 changes, a log of 100 MiB and a graph of 1,000 stacks are stored");
  const session = () => createSession(db, user);
  return { baseUrl, sql, session, org: org.orgId, graph, stack: stack!.slug, planned, logged, live };
}

async function findingsOf({ page }: BenchWindow, paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme });
    for (const path of paths) {
      await page.goto(path, { waitUntil: "commit" });
      await isWhole(page);
      found.push(...(await accessibilityFindings(page, [theme])).map((finding) => `${path} ${finding}`));
    }
  }
  return found;
}
