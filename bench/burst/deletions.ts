/** Stacks that are deleted by force, each under a runner that works on it, and with deployments behind that. */
import { eachAtOnce } from "../harness/eachAtOnce.ts";
import { COMMIT, insertStacks } from "../harness/rows.ts";
import { claimNext, type Fleet } from "../harness/runner.ts";
import { type Arrange, requests } from "./busy.ts";
import { queueBehind } from "./queues.ts";
import { BURST } from "./sizes.ts";
import type { Tenant } from "./world.ts";

export const deletions: Arrange = async ({ product, openTenant }) => {
  const tenant = await openTenant();
  const stacks = await insertStacks(product.sql, tenant.org.orgId, BURST.deletions);
  await eachAtOnce(stacks, BURST.clients, async ({ slug }) => runOn(tenant, slug));
  const keys = stacks.map(({ stack_key }) => stack_key);
  await queueBehind(product.sql, keys, BURST.queuedBelow);
  return requests(stacks, async ({ slug }) => [
    (await tenant.person.call("DELETE", `stacks/${slug}?force=true`)).status,
  ]);
};

/** A run that is accepted and goes on. */
async function runOn({ person, fleets }: Tenant, slug: string): Promise<void> {
  await person.create(slug, { mode: "plan", commit_sha: COMMIT });
  const fleet = fleets[0] as Fleet;
  const runner = await fleet.runner(await claimNext(fleet));
  await runner.ready();
  await runner.accept();
}
