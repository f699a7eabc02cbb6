/** Stacks whose runs go to a runner group of their own, so that a bench claims these and no others. */
import type { BenchContext } from "./bench.ts";
import type { Product } from "./product.ts";
import { insertGroup, insertStacks, type StackRow } from "./rows.ts";
import { type Fleet, openFleet } from "./runner.ts";

export type Lane = { stacks: StackRow[]; fleet: Fleet };

/** @param settings further columns of the stacks */
export async function openLane(
  { folder }: BenchContext,
  { sql, org, baseUrl }: Pick<Product, "sql" | "org" | "baseUrl">,
  pool: string,
  stacks: number,
  settings: Record<string, unknown> = {},
): Promise<Lane> {
  const group = await insertGroup(sql, org.orgId, { name: pool, labels: { pool } });
  const labels = sql.json({ "svc:runner-group:pool": pool });
  return {
    stacks: await insertStacks(sql, org.orgId, stacks, { labels, ...settings }),
    fleet: await openFleet(baseUrl, group, folder),
  };
}
