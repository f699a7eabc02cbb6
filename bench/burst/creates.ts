/**
 * A script that creates a deployment after the other, on as many stacks or on a few, where they queue. No runner is
 * there.
 */
import { COMMIT, insertStacks } from "../harness/rows.ts";
import { type Arrange, requests } from "./busy.ts";
import { BURST } from "./sizes.ts";

export function createsOn(stacks: number): Arrange {
  return async ({ product, openTenant }) => {
    const { org, person } = await openTenant();
    const made = await insertStacks(product.sql, org.orgId, stacks);
    const slugs = Array.from({ length: BURST.creates }, (_, i) => made[i % stacks]?.slug);
    const body = { mode: "plan", commit_sha: COMMIT };
    return requests(slugs, async (slug) => [(await person.call("POST", `stacks/${slug}/deployments`, body)).status]);
  };
}
