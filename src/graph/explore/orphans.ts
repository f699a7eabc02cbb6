/**
 * Orphans: declared edges that lead nowhere, since their stack or their resource is no more
 * (docs/explore.md#findings). They trigger nothing, and their author believes that they do.
 */
import { sql } from "drizzle-orm";
import type { Queryable } from "../../platform/db/client.ts";
import type { NamedRow } from "../../platform/db/sqlRow.ts";
import type { dependencyEdges } from "../dependencies/schema.ts";
import { type Finding, findingKey } from "./findingRows.ts";

const PAGE = 1_000;

export type OrphanPage = {
  orphans: Finding[];
  /** False: whether a resource is there could not be told, since its stack's resources are not all known. */
  complete: boolean;
  /** Where the next page begins; null after the last. */
  next: EdgePlace | null;
};
export type EdgePlace = { stack: string; edge: string };

type Edge = NamedRow<typeof dependencyEdges, "file" | "line"> & {
  stack: string;
  edge: string;
  fromStack: string;
  address: string | null;
  parent: string | null;
};

const START: EdgePlace = { stack: "00000000-0000-0000-0000-000000000000", edge: "" };

/** One page of an organization's declared edges, in the order of their owners. */
export async function orphansAfter(
  { main, explore }: { main: Queryable; explore: Queryable },
  orgId: string,
  after: EdgePlace | null,
): Promise<OrphanPage> {
  const edges = await declaredEdges(main, orgId, after ?? START);
  const places = await presence(explore, edges);
  let complete = true;
  const orphans: Finding[] = [];
  edges.forEach((edge, i) => {
    const reason = edge.parent === null ? "stack_missing" : places.get(i);
    if (reason === "unknown") complete = false;
    else if (reason !== undefined) orphans.push(orphan(edge, reason));
  });
  const last = edges.at(-1);
  const next = last === undefined || edges.length < PAGE ? null : { stack: last.stack, edge: last.edge };
  return { orphans, complete, next };
}

function orphan({ stack, edge, fromStack, address, parent, file, line }: Edge, reason: string): Finding {
  const stackKeys = parent === null ? [stack] : [stack, parent];
  const details = { reason, from_stack: fromStack, from_resource: address, file, line };
  return { kind: "orphan", key: findingKey("orphan", stack, edge), stackKeys, stackCount: stackKeys.length, details };
}

/** A live stack's declarations, each with the live stack it names. */
async function declaredEdges(main: Queryable, orgId: string, after: EdgePlace): Promise<Edge[]> {
  return await main.execute<Edge>(sql`
    select e.dependent_stack_key as stack, encode(e.edge_hash, 'hex') as edge, e.dependency_stack_slug as "fromStack",
      e.dependency_address as address, p.stack_key as parent, e.file, e.line
    from dependency_edges e
    join stacks d on d.stack_key = e.dependent_stack_key and d.deleted_at is null
    left join stacks p on p.org_id = e.org_id and p.slug = e.dependency_stack_slug and p.deleted_at is null
    where e.org_id = ${orgId} and e.provenance = 'declared'
      and (e.dependent_stack_key, e.edge_hash) > (${after.stack}::uuid, decode(${after.edge}, 'hex'))
    order by e.dependent_stack_key, e.edge_hash limit ${PAGE}`);
}

/**
 * What is known of the resources that edges name, by the edge's place in the list; nothing for one that is there. An
 * address names an instance, a resource with all its instances, or a module with all that is in it. Outputs are not in
 * the index.
 */
async function presence(
  explore: Queryable,
  edges: readonly Edge[],
): Promise<Map<number, "resource_missing" | "unknown">> {
  const references = edges.flatMap(({ parent, address }, i) =>
    parent === null || address === null || address.startsWith("output.") ? [] : [{ i, stack: parent, address }],
  );
  if (references.length === 0) return new Map();
  const rows = await explore.execute<{
    i: number;
    sure: boolean;
  }>(sql`
    select a.i, coalesce(s.state = 'known' and s.complete, false) as sure
    from jsonb_to_recordset(${JSON.stringify(references)}::jsonb) as a (i integer, stack uuid, address text)
    left join explore.stacks s on s.stack_key = a.stack
    where not exists (
      select from explore.resources r where r.stack_key = a.stack and r.address = a.address collate "C")
    and not exists (
      select from explore.resources r where r.stack_key = a.stack
        and r.address >= a.address || '.' collate "C" and r.address < a.address || '/' collate "C")
    and not exists (
      select from explore.resources r where r.stack_key = a.stack
        and r.address >= a.address || '[' collate "C" and r.address < a.address || '\\' collate "C")`);
  return new Map(rows.map(({ i, sure }) => [i, sure ? "resource_missing" : "unknown"]));
}
