/** Rows of the dependency graph for tests that begin with one. */
import type { Budgets } from "../../src/graph/analysis/budgets.ts";
import type { TestDatabase } from "./database.ts";

/** The defaults. */
export const BUDGETS: Budgets = {
  maxOrgEdges: 200_000,
  maxOrgStackPairs: 200_000,
  maxNeighborhoodEdges: 200_000,
  maxDirectDependentEdgesPerStack: 10_000,
  maxDirectDependentEdges: 50_000,
  maxInferredEdgesPerStack: 5_000,
  maxResponseEdges: 2_000,
  maxPairEdges: 50,
};

export type EdgeSeed = {
  /** The key of the stack that depends. */
  from: string;
  /** What it names. */
  slug?: string;
  /** Or what was found for it. */
  on?: string;
  address?: string;
  parentAddress?: string;
  trigger?: "always" | "manual" | "never";
};

/** Declared edges where `slug` is given, inferred ones where `on` is. */
export async function makeEdges({ sql }: TestDatabase, orgId: string, edges: readonly EdgeSeed[]): Promise<void> {
  const rows = edges.map((edge) => ({
    org_id: orgId,
    dependent_stack_key: edge.from,
    dependent_address: edge.address ?? null,
    provenance: edge.slug === undefined ? "inferred" : "declared",
    dependency_stack_slug: edge.slug ?? null,
    dependency_stack_key: edge.on ?? null,
    dependency_address: edge.parentAddress ?? null,
    trigger: edge.trigger ?? "manual",
    edge_hash: Buffer.from(JSON.stringify(edge)),
  }));
  await sql`insert into dependency_edges ${sql(rows)}`;
}

/** Stacks by the ids that the test knows them by. */
export async function makeStacks<S extends string>(
  { sql }: TestDatabase,
  orgId: string,
  slugs: readonly S[],
): Promise<Record<S, string>> {
  const rows = slugs.map((slug) => ({
    org_id: orgId,
    slug,
    name: slug,
    repository_url: "https://git.example/r.git",
    branch: "main",
  }));
  const made = await sql`insert into stacks ${sql(rows)} returning slug, stack_key`;
  return Object.fromEntries(made.map((row) => [row.slug, row.stack_key])) as Record<S, string>;
}
