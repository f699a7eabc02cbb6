/** Bulk cancels: each ends the whole queue of a stack. Counted is what each deployment of it was answered. */
import { eachAtOnce } from "../harness/eachAtOnce.ts";
import { COMMIT, insertStacks } from "../harness/rows.ts";
import { type Arrange, requests } from "./busy.ts";
import { queueBehind } from "./queues.ts";
import { BURST } from "./sizes.ts";

export const cancels: Arrange = async ({ product, openTenant }) => {
  const { org, person } = await openTenant();
  const stacks = await insertStacks(product.sql, org.orgId, BURST.cancels);
  await eachAtOnce(stacks, BURST.clients, async ({ slug }) => {
    await person.create(slug, { mode: "plan", commit_sha: COMMIT });
  });
  const keys = stacks.map(({ stack_key }) => stack_key);
  const queued = await queueBehind(product.sql, keys, BURST.idsEach);
  return requests(stacks, async ({ slug, stack_key }) => {
    const ids = queued.get(stack_key);
    const { status, body } = await person.call("POST", `stacks/${slug}/deployments/cancel`, { ids });
    if (status !== 200) return [status];
    return (body as { results: { http_status: number }[] }).results.map(({ http_status }) => http_status);
  });
};
