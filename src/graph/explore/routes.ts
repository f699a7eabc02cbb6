/**
 * `.../explore/resources` and `.../explore/findings`: what an organization's stacks hold, and what is wrong between
 * them.
 */
import type { Hono } from "hono";
import * as v from "valibot";
import { pageOf, Time } from "../../http/answerFields.ts";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { FindingListQuery, type FindingRow, listFindings } from "./listFindings.ts";
import { type ExploreDatabases, listResources, ResourceListQuery } from "./listResources.ts";
import { FINDING_KINDS } from "./schema.ts";

const about = <S extends v.GenericSchema>(schema: S, description: string) =>
  v.pipe(schema, v.metadata({ description }));

const Resource = v.pipe(
  v.object({
    stack: v.object({ id: v.string(), name: v.string() }),
    address: v.string(),
    mode: v.picklist(["managed", "data"]),
    type: v.string(),
    provider: v.string(),
    realm: about(v.nullable(v.string()), "Where the identity is unique: a provider, an account, a region"),
    identity: about(
      v.nullable(v.string()),
      "What names the real thing within its realm; null when nothing is asserted",
    ),
  }),
  v.metadata({ ref: "ExploreResource" }),
);

const Finding = v.pipe(
  v.object({
    id: v.string(),
    kind: v.picklist(FINDING_KINDS),
    stacks: about(
      v.array(v.object({ id: v.nullable(v.string()), name: v.nullable(v.string()), restricted: v.boolean() })),
      "At most 20. Of an orphan: the stack that declares, then the one it names",
    ),
    stack_count: v.number(),
    reason: about(v.nullable(v.picklist(["stack_missing", "resource_missing"])), "Of an orphan"),
    from_stack: about(v.nullable(v.string()), "What an orphan's declaration names"),
    from_resource: v.nullable(v.string()),
    file: v.nullable(v.string()),
    line: v.nullable(v.number()),
    realm: about(v.nullable(v.string()), "Of a duplicate"),
    identity: about(v.nullable(v.string()), "What more than one stack manages"),
  }),
  v.metadata({ ref: "ExploreFinding" }),
);

const ResourcePage = pageOf(Resource);
const FindingPage = v.object({
  ...pageOf(Finding).entries,
  computed_at: about(v.nullable(Time), "null: not computed yet"),
  cycles_complete: about(v.nullable(v.boolean()), "false: a budget is exceeded, and how many there are is unknown"),
  orphans_complete: about(v.nullable(v.boolean()), "false: some declarations could not be judged"),
});

const EXPLORE = "/api/v1/orgs/:org_id/explore";
const tag = "explore";

export function exploreRoutes(app: Hono<AppEnv>, databases: ExploreDatabases): void {
  endpoint(
    app,
    "get",
    `${EXPLORE}/resources`,
    {
      id: "listResources",
      tag,
      summary: "Search the resources of all stacks",
      description: "Of the stacks that you may read, as their last finished deployments left them.",
      query: ResourceListQuery,
      answer: ResourcePage,
    },
    async ({ principal, params, query }) => {
      const { items, next_cursor } = await listResources(databases, principal, params.org_id, query());
      return { items: items.map(({ stack: { id, name }, ...row }) => ({ ...row, stack: { id, name } })), next_cursor };
    },
  );

  endpoint(
    app,
    "get",
    `${EXPLORE}/findings`,
    {
      id: "listFindings",
      tag,
      summary: "List cycles, orphans and duplicates",
      description:
        "A cycle: stacks that depend on each other. An orphan: a declared dependency on a stack or resource that does not exist. A duplicate: one real thing that more than one stack manages. Stacks that you may not read are restricted; an orphan is shown only to who may read both ends.",
      query: FindingListQuery,
      answer: FindingPage,
    },
    async ({ principal, params, query }) => {
      const { items, next_cursor, state } = await listFindings(databases, principal, params.org_id, query());
      return {
        items: items.map(findingAnswer),
        next_cursor,
        computed_at: rfc3339(state.computed_at),
        cycles_complete: state.cycles_complete,
        orphans_complete: state.orphans_complete,
      };
    },
  );
}

function findingAnswer({ key, kind, stacks, stack_count, details }: FindingRow): v.InferInput<typeof Finding> {
  const said = (field: string) => (details[field] ?? null) as string | null;
  return {
    id: key,
    kind,
    stacks: stacks.map((stack) =>
      stack === null
        ? { id: null, name: null, restricted: true }
        : { id: stack.id, name: stack.name, restricted: false },
    ),
    stack_count,
    reason: said("reason") as "stack_missing" | null,
    from_stack: said("from_stack"),
    from_resource: said("from_resource"),
    file: said("file"),
    line: (details.line ?? null) as number | null,
    realm: said("realm"),
    identity: said("identity"),
  };
}
