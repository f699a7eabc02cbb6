/**
 * Signed pushes of 10 KiB through the whole application, against bare Hono that checks the same signature and makes one
 * insert. Both are called in process over the same pool, sixteen at a time, so that neither the client nor the network
 * is measured.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { sql } from "drizzle-orm";
import { Hono } from "hono";
import { v7 as uuidv7 } from "uuid";
import { sealAuth, summaryOf } from "../src/exchange/scm/authConfig.ts";
import { openApp } from "./harness/app.ts";
import { atLeast, atMost, type Bench, type BenchContext, type BenchResult, rounded } from "./harness/bench.ts";
import { interleave, typical } from "./harness/rounds.ts";
import { insertStacks } from "./harness/rows.ts";
import { seedOrg, WIDE_LIMITS } from "./harness/seed.ts";
import { benchPostgres } from "./harness/servers.ts";
import { median, summary } from "./harness/statistics.ts";

const ROUNDS = 15;
const DELIVERIES = 600;
const AT_ONCE = 16;
const BODY_BYTES = 10_240;
const REPOSITORY = "https://git.example.test/acme/infra.git";

export const bench: Bench = { what: "signed 10 KiB pushes, against bare Hono with HMAC and one insert", run };

type Delivery = { body: string; headers: Record<string, string> };

async function run(context: BenchContext): Promise<BenchResult> {
  const postgres = await benchPostgres(context);
  const database = await postgres.database("webhooks", AT_ONCE);
  const { db, sql: support } = database;
  const org = await seedOrg(support, WIDE_LIMITS);
  await insertStacks(support, org.orgId, 200, {
    repository_url: REPOSITORY,
    repository_key: "git.example.test/acme/infra",
  });
  await support`
    create table bare (id uuid primary key default uuidv7(), integration_id uuid not null, delivery text not null, branch text not null,
      before text, after text, status text not null default 'pending', created_at timestamptz not null default now(),
      unique (integration_id, delivery))`;
  const app = await openApp(context, database);
  const secret = randomBytes(20).toString("hex");
  const id = uuidv7();
  const auth = { kind: "none", webhook_secret: secret } as const;
  await support`
    insert into scm_integrations (id, org_id, name, url_pattern, auth_config, auth_config_summary)
    values (${id}, ${org.orgId}, 'host', '^https://git\\.example\\.test/', ${await sealAuth(app.keyring, id, auth)}, ${support.json(summaryOf(auth))})`;

  const bare = new Hono();
  bare.post("/", async (c) => {
    const body = Buffer.from(await c.req.arrayBuffer());
    const signature = createHmac("sha256", secret).update(body).digest();
    const given = Buffer.from((c.req.header("x-hub-signature-256") ?? "").slice("sha256=".length), "hex");
    if (!timingSafeEqual(signature, given)) return c.body(null, 401);
    const { ref, before, after } = JSON.parse(body.toString("utf8"));
    await db.execute(sql`
      insert into bare (integration_id, delivery, branch, before, after)
      values (${id}, ${c.req.header("x-github-delivery")}, ${ref}, ${before}, ${after})
      on conflict (integration_id, delivery) do nothing`);
    return c.body(null, 202);
  });

  const product = (delivery: Delivery) =>
    app.request(`orgs/${org.orgId}/scm-integrations/${id}/webhook`, { method: "POST", ...delivery });
  const taken = await interleave(
    {
      product: () => timedTogether(secret, product),
      bare: () => timedTogether(secret, async (delivery) => bare.request("/", { method: "POST", ...delivery })),
    },
    { rounds: ROUNDS, warmUp: 2 },
  );
  const [stored] = await support`select count(*)::int as n from scm_events`;
  const expected = (ROUNDS + 2) * DELIVERIES;
  if (stored?.n !== expected) throw new Error(`${stored?.n} of ${expected} deliveries were stored`);
  const perSecond = (name: keyof typeof taken) =>
    taken[name].map((round) => DELIVERIES / ((round[0] as number) / 1_000));
  const [ofProduct, ofBare] = [perSecond("product"), perSecond("bare")];
  const share = median(ofProduct.map((rate, i) => rate / (ofBare[i] as number)));
  const latencies = {
    product: summary(taken.product.flatMap((round) => round.slice(1))),
    bare: summary(taken.bare.flatMap((round) => round.slice(1))),
  };
  context.say(`${Math.round(median(ofProduct))} deliveries a second, ${Math.round(median(ofBare))} bare`);
  return {
    figures: {
      per_second: { product: Math.round(median(ofProduct)), bare: Math.round(median(ofBare)) },
      milliseconds: latencies,
      at_once: AT_ONCE,
      product_p50_ms: rounded(
        typical(
          taken.product.map((round) => round.slice(1)),
          0.5,
        ),
      ),
    },
    bars: { share_of_bare: atLeast(share, 0.6), p99_ms: atMost(latencies.product.p99, 100) },
  };
}

/**
 * A round's whole time in milliseconds, then each delivery's. Deliveries are made and signed before the clock starts.
 */
async function timedTogether(secret: string, send: (delivery: Delivery) => Promise<Response>): Promise<number[]> {
  const deliveries = Array.from({ length: DELIVERIES }, () => signedPush(secret));
  const samples: number[] = [];
  const began = performance.now();
  const worker = async () => {
    for (let delivery = deliveries.pop(); delivery !== undefined; delivery = deliveries.pop()) {
      const started = performance.now();
      const { status } = await send(delivery);
      if (status !== 202) throw new Error(`a delivery was answered ${status}`);
      samples.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return [performance.now() - began, ...samples];
}

function signedPush(secret: string): Delivery {
  const after = randomBytes(20).toString("hex");
  const commits = Array.from({ length: 8 }, () => ({
    id: randomBytes(20).toString("hex"),
    message: "m".repeat(300),
    added: ["a.tf"],
  }));
  const payload = {
    ref: "refs/heads/main",
    before: after,
    after,
    repository: { clone_url: REPOSITORY },
    commits,
    pad: "",
  };
  payload.pad = "x".repeat(BODY_BYTES - JSON.stringify(payload).length);
  const body = JSON.stringify(payload);
  return {
    body,
    headers: {
      "content-type": "application/json",
      "content-length": String(body.length),
      "x-github-event": "push",
      "x-github-delivery": uuidv7(),
      "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
    },
  };
}
