/**
 * 1,000 signed pushes to 100 branches, three of ten delivered again, while a random one of two APIs and two workers is killed with
 * -9 every 4 s. A host delivers until it is answered, as its redelivery does. At the end every delivery answered 202 is
 * processed, once; every stack is at its branch's last commit; no commit was deployed twice.
 */
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { startChaos } from "./faultRun/chaos.ts";
import { startBalancer } from "./harness/balancer.ts";
import { atLeast, type Bench, type BenchContext, type BenchResult, exactly } from "./harness/bench.ts";
import { startPrograms } from "./harness/programs.ts";
import { type BenchOrg, limitsText, seedOrg, seedStacks, WIDE_LIMITS } from "./harness/seed.ts";
import { benchPostgres, benchTemporal } from "./harness/servers.ts";
import { summary } from "./harness/statistics.ts";
import { until } from "./harness/until.ts";

const PUSHES = 1_000;
const BRANCHES = 100;
const AGAIN = 0.3;
const AT_ONCE = 8;
const KILL_EVERY_MS = 4_000;
const REDELIVER_MS = 500;
const SETTLE_MS = 240_000;

export const bench: Bench = {
  what: `${PUSHES} signed pushes, ${AGAIN * 100} % of them twice, while APIs and workers are killed`,
  limitSeconds: 900,
  run,
};

type Delivery = { id: string; branch: string; before: string; after: string };

async function run(context: BenchContext): Promise<BenchResult> {
  const { say, signal } = context;
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
  const host = await startHost(context, heads);
  for (const branch of heads.keys()) {
    await seedStacks(sql, org.orgId, 1, {
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
  const sent = await deliverAll(webhook, secret, heads, halted);
  say(
    `all ${sent.tries} deliveries of ${PUSHES} pushes are answered after ${Math.round((performance.now() - began) / 1000)} s`,
  );
  await chaos.stop();
  const open = () =>
    sql`select (select count(*) from scm_events where status in ('pending', 'failed')) + (select count(*) from outbox) as n`;
  await until("the inbox to be worked through", SETTLE_MS, async () => Number((await open())[0]?.n) === 0, 500);
  const took = performance.now() - began;

  const events = await sql`select external_event_id as id, status from scm_events`;
  const processed = new Set(events.filter(({ status }) => status === "processed").map(({ id }) => id as string));
  const lost = sent.ids.filter((id) => !processed.has(id));
  const behind = await sql`
    select s.branch, s.last_compared_commit as compared,
      (select commit_sha from deployments d where d.stack_key = s.stack_key order by d.id desc limit 1) as deployed from stacks s`;
  const stale = behind.filter(
    ({ branch, compared, deployed }) => compared !== heads.get(branch) || deployed !== heads.get(branch),
  );
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
      kills: chaos.kills.length,
      answer_ms: summary(sent.milliseconds),
    },
    bars: {
      lost: exactly(lost.length, 0),
      stale_stacks: exactly(stale.length, 0),
      stored_twice: exactly(events.length - new Set(sent.ids).size, 0),
      doubled: exactly(doubled.length + synced.length, 0),
      kills: atLeast(chaos.kills.length, 5),
    },
  };
}

function sha(): string {
  return randomBytes(20).toString("hex");
}

/** Knows the head of each branch and nothing else: the stacks are at the repository's root, so nothing is compared. */
async function startHost({ closers }: BenchContext, heads: ReadonlyMap<string, string>) {
  const server = createServer((request, response) => {
    const branch = decodeURIComponent(/\/branches\/([^?]+)/.exec(request.url ?? "")?.[1] ?? "");
    const head = heads.get(branch);
    const compared = request.url?.includes("/compare/") ? { status: "ahead", files: [] } : null;
    const commit = { sha: head, commit: { message: "change", author: { name: "Ann" } } };
    response.writeHead(head || compared ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(compared ?? { name: branch, commit }));
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

/** Each push moves its branch's head before it is delivered, as on a host. */
async function deliverAll(webhook: string, secret: string, heads: Map<string, string>, signal: AbortSignal) {
  const [ids, milliseconds]: [string[], number[]] = [[], []];
  const due: Delivery[] = [];
  let [tries, unanswered, pushes] = [0, 0, 0];
  const branches = [...heads.keys()];
  const next = (): Delivery | undefined => {
    if (pushes >= PUSHES || (due.length > 0 && Math.random() < 0.5)) return due.shift();
    const branch = branches[pushes++ % BRANCHES] as string;
    const delivery = { id: randomUUID(), branch, before: heads.get(branch) as string, after: sha() };
    heads.set(branch, delivery.after);
    ids.push(delivery.id);
    if (Math.random() < AGAIN) due.push(delivery);
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
  return { ids, tries, unanswered, milliseconds };
}

/** False when there was no answer or one of 5xx; anything else but 202 is a fault. */
async function answered(webhook: string, secret: string, { id, branch, before, after }: Delivery): Promise<boolean> {
  const repository = { clone_url: "http://127.0.0.1/acme/infra.git" };
  const body = JSON.stringify({ ref: `refs/heads/${branch}`, before, after, repository });
  const headers = {
    "content-type": "application/json",
    "x-github-event": "push",
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
