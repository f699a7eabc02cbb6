/**
 * Nobody waits for what another organization named: two APIs and two workers on this machine, and one organization with
 * silent names, slow hosts, 500 creates at once and 100 hanging branches. What another one sees of it that creates,
 * signs in, polls and pushes at a steady pace, against what it saw just before, alone.
 *
 *     npm run bench -- neighbours                           some 4 minutes
 *     BENCH_NEIGHBOURS_SHARE=0.1 npm run bench -- neighbours
 */
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { Bench, BenchContext, BenchResult } from "./harness/bench.ts";
import { CODE_HOST_ENV } from "./harness/codeHost.ts";
import { Person } from "./harness/person.ts";
import { startProduct } from "./harness/product.ts";
import { seedOrg, WIDE_LIMITS } from "./harness/seed.ts";
import { shareOf } from "./harness/sizes.ts";
import { judge } from "./neighbours/judge.ts";
import { openOutside } from "./neighbours/outside.ts";
import { openQuiet, type Seen } from "./neighbours/quiet.ts";
import type { Tenant } from "./neighbours/tenant.ts";
import { openTroublesome } from "./neighbours/troublesome.ts";

const share = shareOf("BENCH_NEIGHBOURS_SHARE");
const SIZES = { creates: share(500), names: share(100), sends: share(40), branches: share(100) };
const WATCHED_MS = share(30_000);
const ROUNDS = 2;
/** Until what hangs hangs everywhere. */
const SETTLE_MS = 3_000;

export const bench: Bench = {
  what: "an organization's creates, sign-ins, polls and pushes beside another whose names and hosts are silent",
  limitSeconds: 600,
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const outside = await openOutside(context);
  const preloaded = pathToFileURL(`${import.meta.dirname}/neighbours/silentNames.ts`).href;
  const product = await startProduct(context, {
    apis: 2,
    workers: 2,
    env: {
      NODE_OPTIONS: `--import ${preloaded}`,
      BENCH_NAME_SERVER: outside.nameServer,
      ...CODE_HOST_ENV,
      SVC_BACKEND_PUBLIC_BASE_URL: "http://127.0.0.1:1",
      SVC_SSO_REQUESTS_PER_MINUTE: "1000000",
    },
  });
  const apis = product.programs.filter(({ kind }) => kind === "api").map(({ baseUrl }) => baseUrl);
  let turn = 0;
  const openTenant = async (): Promise<Tenant> => {
    const org = await seedOrg(product.sql, WIDE_LIMITS);
    const baseUrl = () => apis[turn++ % apis.length] as string;
    return { org, person: new Person(baseUrl, org), baseUrl };
  };
  const quiet = await openQuiet(context, product.sql, await openTenant(), outside);
  const troublesome = await openTroublesome(product.sql, await openTenant(), outside, SIZES);
  await quiet.watch(WATCHED_MS / 3);
  const [alone, beside]: [Seen[], Seen[]] = [[], []];
  for (let round = 1; round <= ROUNDS; round++) {
    alone.push(await quiet.watch(WATCHED_MS));
    const load = troublesome.begin();
    await sleep(SETTLE_MS);
    beside.push(await quiet.watch(WATCHED_MS));
    await load.stop();
    context.say(`round ${round}: answers to the troublesome ${JSON.stringify(troublesome.answers)}`);
    await sleep(SETTLE_MS);
  }
  return judge(alone, beside, troublesome.answers);
}
