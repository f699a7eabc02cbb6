/**
 * The console in a real browser over the product's own API: how soon a page is there on a slow line, plans of ten
 * thousand changes, a log of 100 MiB, how soon a change is on screen.
 */
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type postgres from "postgres";
import type { RunnerApi } from "../runner/service/runnerApi.ts";
import { LOG_CHUNK_BYTES } from "../src/core/runs/protocol.ts";
import { buildConsole } from "../src/main/dev/consoleBuild.ts";
import { createSession } from "../src/people/sessions/sessions.ts";
import { longLogChunk, manyChanges } from "./console/volume.ts";
import {
  type BenchWindow,
  largestPaint,
  launch,
  openWindow,
  scrollFrames,
  shownAfter,
  slowLine,
  takes,
} from "./console/window.ts";
import { atMost, type Bench, type BenchContext, type BenchResult, exactly, rounded } from "./harness/bench.ts";
import { eachAtOnce } from "./harness/eachAtOnce.ts";
import { startPrograms } from "./harness/programs.ts";
import { insertStacks } from "./harness/rows.ts";
import { CHANGES, claimNext, openFleet } from "./harness/runner.ts";
import { limitsText, seedOrg, seedPendingRuns, selectorOf, settle, WIDE_LIMITS } from "./harness/seed.ts";
import { benchPostgres } from "./harness/servers.ts";
import { median, percentile } from "./harness/statistics.ts";

type Live = { path: string; id: string };

const CHANGE_COUNT = 10_000;
const LOG_BYTES = 100 * 1_048_576;
const STACKS = 10_000;
const ROUNDS = 3;
const HINTS = 30;

export const bench: Bench = {
  what: "the console in a browser: first load, 10,000 changes, a log of 100 MiB, change to pixels",
  limitSeconds: 900,
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const { say, closers } = context;
  say(limitsText(WIDE_LIMITS));
  await buildConsole(say);
  const server = await benchPostgres(context);
  const { url: databaseUrl, sql, db } = await server.database("bench", 2);
  const org = await seedOrg(sql, WIDE_LIMITS);
  const stacks = await insertStacks(sql, org.orgId, STACKS);
  const [stack] = stacks;
  await seedPendingRuns(sql, org.orgId, [stack!.stack_key], [await selectorOf(sql, org.orgId, {})], 3);
  await settle(sql, "stacks", "deployments", "runs");
  const user = `bench:${randomUUID()}`;
  await sql`insert into users (id, provider_key, issuer, subject, login, is_super_admin)
    values (${user}, 'bench', '', ${user}, 'bench', true)`;
  // Sessions are of the address that people use; nothing is changed by one here.
  const env = { SVC_BACKEND_PUBLIC_BASE_URL: "http://127.0.0.1:1" };
  // Nothing listens there: what is looked at needs no workflow.
  const [api] = await startPrograms(context, { databaseUrl, temporalAddress: "127.0.0.1:9", workers: 0, env });
  const baseUrl = api!.baseUrl;
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
  await storePlan(context, planned.runner, await fleet.planFile());
  const logged = await next();
  const places = [...Array(LOG_BYTES / LOG_CHUNK_BYTES).keys()];
  await eachAtOnce(places, 8, (at) => logged.runner.sealChunk(at, longLogChunk(at, LOG_CHUNK_BYTES)));
  await logged.runner.done({ status: "failure" });
  const live = await next();
  say(`a plan of ${CHANGE_COUNT} changes and a log of ${LOG_BYTES / 1_048_576} MiB are stored`);

  const browser = await launch();
  closers.add(() => browser.close());
  const open = async () => openWindow(browser, baseUrl, await createSession(db, user));
  const complaints: string[] = [];
  const visited = async <T>(work: (window: BenchWindow) => Promise<T>): Promise<T> => {
    const window = await open();
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

  const loads = await rounds((window) => firstLoad(window, `/orgs/${org.orgId}`));
  say(`first load ${loads.map(({ kib, paint }) => `${kib.toFixed(0)} KiB ${paint.toFixed(0)} ms`).join(", ")}`);
  const plans = await rounds((window) => tenThousand(window, planned.path));
  say(`10,000 changes ${JSON.stringify(plans)}`);
  const logs = await rounds((window) => longLog(window, logged.path));
  say(`100 MiB ${JSON.stringify(logs)}`);
  const lists = await rounds((window) => manyStacks(window, `/orgs/${org.orgId}/stacks`));
  const pixels = await visited((window) => changeToPixels(window, live, sql));
  for (const complaint of complaints.slice(0, 10)) say(`complaint: ${complaint}`);
  const middle = (values: number[]) => rounded(median(values));
  return {
    figures: {
      plan_first_rows_ms: middle(plans.map(({ first }) => first)),
      log_first_lines_ms: middle(logs.map(({ first }) => first)),
      complaints,
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
      change_to_pixels_p95_ms: atMost(rounded(percentile(pixels, 0.95)), 300),
      complaints: exactly(complaints.length, 0),
    },
  };
}

async function storePlan({ folder }: BenchContext, runner: RunnerApi, planFile: string): Promise<void> {
  const changes = join(folder, "changes");
  await writeFile(changes, manyChanges(CHANGE_COUNT));
  await runner.putArtifact("plan", planFile);
  await runner.putArtifact("changes", changes);
  await runner.done({
    ...CHANGES,
    plan_summary: {
      has_changes: true,
      counts: { add: 3_266, change: 6_534, destroy: 100, replace: 100, import: 0, forget: 0, move: 0 },
      gaps: [],
    },
  });
}

/** KiB that come over a line of 10 Mbit/s, and when the largest part of the page is painted. */
async function firstLoad(window: BenchWindow, path: string) {
  await slowLine(window);
  let bytes = 0;
  window.devtools.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await window.page.goto(path, { waitUntil: "commit" });
  await shownAfter(window.page, "main h1");
  return { paint: await largestPaint(window.page), kib: bytes / 1_024 };
}

async function tenThousand({ page }: BenchWindow, path: string) {
  await page.goto(`${path}?tab=changes`, { waitUntil: "commit" });
  const first = await shownAfter(page, "[data-changes]");
  const all = await shownAfter(page, `[data-changes="${CHANGE_COUNT}"]`);
  const scroll = percentile(await scrollFrames(page, "window.scrollBy(0, 300)"), 0.95);
  const filter = await takes(
    page,
    `const field = document.querySelector("main input[type=search]");
     Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, "eu-7\\"] node[1");
     field.dispatchEvent(new Event("input", { bubbles: true }))`,
    `[data-changes]:not([data-changes="${CHANGE_COUNT}"])`,
  );
  return { first, all, scroll, filter };
}

async function longLog({ page }: BenchWindow, path: string) {
  await page.goto(`${path}?tab=log`, { waitUntil: "commit" });
  const first = await shownAfter(page, "[data-line]");
  const whole = await shownAfter(page, '[data-log="ended"]');
  const search = await takes(
    page,
    `const field = document.querySelector("main input[type=search]");
     Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, "59s elapsed, 1599]");
     field.dispatchEvent(new Event("input", { bubbles: true }))`,
    "[data-hits]",
  );
  return { first, whole, search };
}

async function manyStacks({ page }: BenchWindow, path: string): Promise<number> {
  await page.goto(path, { waitUntil: "commit" });
  return shownAfter(page, "main [data-row]");
}

/** From the commit of a change in the database until the page shows it. */
async function changeToPixels({ page }: BenchWindow, { path, id }: Live, sql: postgres.Sql): Promise<number[]> {
  await page.goto(`${path}?tab=events`, { waitUntil: "commit" });
  await shownAfter(page, "[data-headline]");
  await shownAfter(page, "[data-state=live]");
  const samples: number[] = [];
  for (let at = 0; at < HINTS; at++) {
    const title = `change ${at}`;
    await sql`update deployments set commit_message = ${title} where id = ${id}`;
    const started = performance.now();
    await page.locator("h1", { hasText: title }).waitFor();
    samples.push(performance.now() - started);
  }
  return samples;
}
