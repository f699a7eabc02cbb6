/**
 * 5,000 signed deliveries to 100 branches, most of them pushes, some about pull requests whose head moves or that are
 * closed; three of ten come again; a random one of two APIs and two workers is killed with -9 every 4 s. A host
 * delivers until it is answered, as its redelivery does. At the end every delivery answered 202 is processed, once;
 * every stack is at its branch's last commit; no commit was deployed twice; each open pull request has one live
 * preview, of its last head, and a closed one has none.
 *
 *     BENCH_WEBHOOK_FAULTS_SHARE=0.2 npm run bench -- webhook-faults     a fifth of it, some 5 minutes
 *     BENCH_FAULT=lose ...      the rows of some deliveries vanish: the bench must fail
 *     BENCH_FAULT=double ...    a commit is deployed twice: the bench must fail
 */
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { startChaos } from "./faultRun/chaos.ts";
import { startBalancer } from "./harness/balancer.ts";
import { atLeast, type Bench, type BenchContext, type BenchResult, exactly } from "./harness/bench.ts";
import { faultOf } from "./harness/fault.ts";
import { startPrograms } from "./harness/programs.ts";
import { insertStacks } from "./harness/rows.ts";
import { type BenchOrg, limitsText, seedOrg, WIDE_LIMITS } from "./harness/seed.ts";
import { type Seeded, seeded } from "./harness/seeded.ts";
import { benchPostgres, benchTemporal } from "./harness/servers.ts";
import { shareOf } from "./harness/sizes.ts";
import { summary } from "./harness/statistics.ts";
import { until } from "./harness/until.ts";

const DELIVERIES = shareOf("BENCH_WEBHOOK_FAULTS_SHARE")(5_000);
const BRANCHES = 100;
/** Branches with an open pull request, and how many of these are closed in the end. */
const REQUESTS = 30;
const CLOSED = 10;
/** Of the deliveries before the last, so many are about pull requests. */
const ABOUT_REQUESTS = 0.15;
const AGAIN = 0.3;
const AT_ONCE = 8;
const KILL_EVERY_MS = 4_000;
const REDELIVER_MS = 500;
const SETTLE_MS = 240_000;

export const bench: Bench = {
  what: `${DELIVERIES} signed deliveries, ${AGAIN * 100} % of them twice, while APIs and workers are killed`,
  limitSeconds: 3_600,
  run,
};

type Delivery = { id: string; event: "push" | "pull_request"; payload: object };
/** What is true on the host: the heads of its branches, and of its open pull requests by their base branch. */
type Host = { heads: Map<string, string>; requests: Map<string, { number: number; head: string; updatedAt: string }> };

async function run(context: BenchContext): Promise<BenchResult> {
  const { say, signal } = context;
  const chance = seeded(say);
  const fault = faultOf(["lose", "double"]);
  say(limitsText(WIDE_LIMITS));
  const [postgres, temporal] = await Promise.all([benchPostgres(context), benchTemporal(context)]);
  const { url: databaseUrl, sql } = await postgres.database("webhooks", 1);
  const org = await seedOrg(sql, WIDE_LIMITS);
  const env = { SVC_EGRESS_ALLOW: "127.0.0.1" };
  const programs = await startPrograms(context, {
    databaseUrl,
    temporalAddress: temporal.address,
    apis: 2,
    workers: 2,
    env,
  });
  const baseUrl = await startBalancer(
    context,
    programs.filter(({ kind }) => kind === "api").map((program) => program.baseUrl),
  );
  const heads = new Map(Array.from({ length: BRANCHES }, (_, i) => [`release/${i}`, sha()]));
  const requests = new Map([...heads.keys()].slice(0, REQUESTS).map((branch, i) => [branch, request(i + 1)]));
  const host = await startHost(context, { heads, requests });
  for (const branch of heads.keys()) {
    await insertStacks(sql, org.orgId, 1, {
      branch,
      repository_url: host.repositoryUrl,
      repository_key: "127.0.0.1/acme/infra",
    });
  }
  const secret = randomBytes(20).toString("hex");
  const webhook = await createIntegration(baseUrl, org, host.apiUrl, secret);

  const failed = new AbortController();
  const halted = AbortSignal.any([signal, failed.signal]);
  const components = programs.map(({ name, kill, start }) => ({ name, start, kill: () => kill().then(() => true) }));
  const chaos = startChaos(components, KILL_EVERY_MS, say, (error) => failed.abort(error));
  const began = performance.now();
  const sent = await deliverAll(webhook, secret, { heads, requests }, chance, halted);
  say(
    `all ${sent.tries} deliveries of ${DELIVERIES} events are answered after ${Math.round((performance.now() - began) / 1000)} s`,
  );
  await chaos.stop();
  const open = () =>
    sql`select (select count(*) from scm_events where status in ('pending', 'failed')) + (select count(*) from outbox) as n`;
  await until("the inbox to be worked through", SETTLE_MS, async () => Number((await open())[0]?.n) === 0, 500);
  const took = performance.now() - began;
  if (fault === "lose") await sql`delete from scm_events where id in (select id from scm_events limit 3)`;
  if (fault === "double")
    await sql`
      update deployments d set commit_sha = o.commit_sha from deployments o
      where d.stack_key = o.stack_key and d.id = (select max(id) from deployments) and o.id = (
        select min(x.id) from deployments x where x.stack_key = d.stack_key)`;

  const events = await sql`select external_event_id as id, status from scm_events`;
  const processed = new Set(events.filter(({ status }) => status === "processed").map(({ id }) => id as string));
  const lost = sent.ids.filter((id) => !processed.has(id));
  const behind = await sql`
    select s.branch, s.last_compared_commit as compared,
      (select commit_sha from deployments d where d.stack_key = s.stack_key and d.origin_type = 'push' order by d.id desc limit 1) as deployed
    from stacks s`;
  const pushed = new Set(sent.pushed);
  const stale = behind.filter(
    ({ branch, compared, deployed }) =>
      pushed.has(branch) && (compared !== heads.get(branch) || deployed !== heads.get(branch)),
  );
  const previews = await sql`
    select s.branch, d.origin_head_sha as head from deployments d join stacks s using (stack_key)
    where d.origin_type = 'pull_request' and d.status not in ('skipped', 'cancelled')`;
  const known = await sql`select base_branch as branch, head_sha as head from pull_requests`;
  const wrong = (rows: readonly { branch?: string; head?: string }[]) =>
    [...requests].filter(([branch, { head }]) => {
      const [found, ...more] = rows.filter((row) => row.branch === branch);
      return sent.told.has(branch) && (found?.head !== head || more.length > 0);
    }).length + rows.filter(({ branch = "" }) => !requests.has(branch)).length;
  const doubled = await sql`select 1 from deployments group by stack_key, commit_sha having count(*) > 1`;
  const synced =
    await sql`select 1 from domain_events where name = 'stack_synced' group by stack_key, data ->> 'commit_sha' having count(*) > 1`;
  const [made] = await sql`select count(*)::int as n from deployments`;
  return {
    figures: {
      seconds: Math.round(took / 1000),
      tries: sent.tries,
      unanswered: sent.unanswered,
      deployments: made?.n,
      about_requests: sent.told.size,
      kills: chaos.kills.length,
      answer_ms: summary(sent.milliseconds),
    },
    bars: {
      lost: exactly(lost.length, 0),
      stale_stacks: exactly(stale.length, 0),
      stored_twice: exactly(events.length - new Set(sent.ids).size, 0),
      doubled: exactly(doubled.length + synced.length, 0),
      wrong_requests: exactly(wrong(known), 0),
      wrong_previews: exactly(wrong(previews), 0),
      kills: atLeast(chaos.kills.length, 5),
    },
  };
}

function sha(): string {
  return randomBytes(20).toString("hex");
}

/** A head that differs from all before it. Its time is the host's own, which always moves on. */
function request(number: number) {
  return { number, head: sha(), updatedAt: new Date(Date.now() + ++edits * 1_000).toISOString() };
}
let edits = 0;

/** Knows heads and nothing else: the stacks are at the repository's root, so that all touches them. */
async function startHost({ closers }: BenchContext, { heads, requests }: Host) {
  const listed = (base: string | null) => {
    const open = requests.get(base ?? "");
    if (open === undefined) return [];
    const { number, head, updatedAt } = open;
    const repo = { id: 1 };
    const [title, html_url, updated_at] = [`Request ${number}`, `https://code.example/${number}`, updatedAt];
    return [
      { number, title, html_url, updated_at, base: { ref: base, repo }, head: { ref: "feature", sha: head, repo } },
    ];
  };
  const told = (method: string, { pathname, searchParams }: URL): unknown => {
    if (method !== "GET") return { id: 1 };
    if (pathname.includes("/compare/")) return { status: "ahead", files: [] };
    if (pathname.endsWith("/pulls")) return listed(searchParams.get("base"));
    if (pathname.endsWith("/files")) return [{ filename: "main.tf" }];
    if (pathname.endsWith("/comments")) return [];
    const name = decodeURIComponent(/\/branches\/(.+)$/.exec(pathname)?.[1] ?? "");
    const head = heads.get(name);
    return head && { name, commit: { sha: head, commit: { message: "change", author: { name: "Ann" } } } };
  };
  const server = createServer((asked, response) => {
    asked.resume();
    const answer = told(asked.method ?? "", new URL(asked.url ?? "/", "http://host"));
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.add(async () => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { apiUrl: `${url}/api/v3`, repositoryUrl: `${url}/acme/infra.git` };
}

async function createIntegration(baseUrl: string, org: BenchOrg, apiUrl: string, secret: string): Promise<string> {
  const many = `${baseUrl}/api/v1/orgs/${org.orgId}/scm-integrations`;
  const auth_config = { kind: "token", token: "bench-token", webhook_secret: secret };
  const answer = await fetch(many, {
    method: "POST",
    headers: { authorization: `Bearer ${org.adminToken}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "host", url_pattern: "/acme/", api_base_url: apiUrl, auth_config }),
  });
  if (answer.status !== 201) throw new Error(`creating the integration was answered ${answer.status}`);
  return `${many}/${((await answer.json()) as { id: string }).id}/webhook`;
}

/** What happens on the host happens before it is delivered. */
async function deliverAll(
  webhook: string,
  secret: string,
  { heads, requests }: Host,
  chance: Seeded,
  signal: AbortSignal,
) {
  const [ids, milliseconds, pushed]: [string[], number[], string[]] = [[], [], []];
  const told = new Set<string>();
  const due: Delivery[] = [];
  let [tries, unanswered, made] = [0, 0, 0];
  const branches = [...heads.keys()];

  const push = (branch: string): Delivery => {
    const [before, after] = [heads.get(branch), sha()];
    heads.set(branch, after);
    pushed.push(branch);
    return { id: randomUUID(), event: "push", payload: { ref: `refs/heads/${branch}`, before, after } };
  };
  const aboutRequest = (branch: string, action: "synchronize" | "closed"): Delivery => {
    const number = requests.get(branch)?.number as number;
    if (action === "closed") requests.delete(branch);
    else requests.set(branch, request(number));
    told.add(branch);
    return {
      id: randomUUID(),
      event: "pull_request",
      payload: { action, pull_request: { number, base: { ref: branch } } },
    };
  };
  const happens = (): Delivery => {
    if (made > DELIVERIES - CLOSED) return aboutRequest(branches[DELIVERIES - made] as string, "closed");
    const branch = branches[made % BRANCHES] as string;
    if (chance.next() >= ABOUT_REQUESTS) return push(branch);
    return aboutRequest(chance.pick(branches.slice(0, REQUESTS)), "synchronize");
  };
  const next = (): Delivery | undefined => {
    if (made >= DELIVERIES || (due.length > 0 && chance.next() < 0.5)) return due.shift();
    made += 1;
    const delivery = happens();
    ids.push(delivery.id);
    if (chance.next() < AGAIN) due.push(delivery);
    return delivery;
  };
  const worker = async () => {
    for (let delivery = next(); delivery !== undefined; delivery = next()) {
      for (;;) {
        signal.throwIfAborted();
        tries += 1;
        const started = performance.now();
        if (await answered(webhook, secret, delivery)) {
          milliseconds.push(performance.now() - started);
          break;
        }
        unanswered += 1;
        await sleep(REDELIVER_MS);
      }
      await sleep(200);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { ids, tries, unanswered, milliseconds, told, pushed };
}

/** False when there was no answer or one of 5xx; anything else but 202 is a fault. */
async function answered(webhook: string, secret: string, { id, event, payload }: Delivery): Promise<boolean> {
  const repository = { clone_url: "http://127.0.0.1/acme/infra.git" };
  const body = JSON.stringify({ repository, ...payload });
  const headers = {
    "content-type": "application/json",
    "x-github-event": event,
    "x-github-delivery": id,
    "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
  };
  const status = await fetch(webhook, { method: "POST", headers, body, signal: AbortSignal.timeout(10_000) }).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.status;
    },
    () => 0,
  );
  if (status !== 202 && status !== 0 && status < 500) throw new Error(`a delivery was answered ${status}`);
  return status === 202;
}
