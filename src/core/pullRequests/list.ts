/** The open pull requests that touch a stack. */
import { sql } from "drizzle-orm";
import * as v from "valibot";
import { type ListQuery, type ListRules, listFields, listPage } from "../../http/listQuery.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { DEPLOYMENT_STATUSES } from "../deployments/lifecycle.ts";
import { PR_CONDITIONS, type StackRow } from "../stacks/schema.ts";
import { unmet } from "./requirements.ts";

const text = v.string();
const time = v.pipe(v.string(), v.metadata({ format: "date-time" }));
const answer = v.nullable(v.boolean());

const PullRequest = v.object({
  id: text,
  number: v.number(),
  title: text,
  url: text,
  body: text,
  author: v.nullable(text),
  base_branch: text,
  head_branch: text,
  head_sha: text,
  is_fork: v.boolean(),
  generation: v.pipe(v.number(), v.metadata({ description: "Rises whenever head or base becomes another" })),
  approved: answer,
  approved_reason: v.pipe(v.nullable(text), v.metadata({ description: "Why it is not approved, where a stack asks" })),
  mergeable: answer,
  checks_passed: answer,
  checks_reason: v.pipe(
    v.nullable(text),
    v.metadata({ description: "Why its checks have not passed, where a stack asks" }),
  ),
  latest_deployment_id: v.nullable(text),
  latest_deployment_status: v.nullable(v.picklist(DEPLOYMENT_STATUSES)),
  unmet_requirements: v.pipe(
    v.array(v.picklist(PR_CONDITIONS)),
    v.metadata({ description: "Conditions of promotion that do not hold for certain" }),
  ),
  preview_is_current: v.pipe(
    v.boolean(),
    v.metadata({ description: "Whether the latest preview is of the present head and base" }),
  ),
  status_refusal: v.pipe(
    v.nullable(text),
    v.metadata({ description: "Why the code host does not take the preview's commit status as it is now" }),
  ),
  comment_refusal: v.pipe(v.nullable(text), v.metadata({ description: "The same of the comment" })),
  created_at: time,
  updated_at: time,
});

export const PullRequestPage = v.object({ items: v.array(PullRequest), next_cursor: v.nullable(text) });
export const PullRequestListQuery = v.strictObject(listFields(["created_at", "updated_at"]));

const LIST: ListRules<"created_at" | "updated_at"> = {
  fields: {
    created_at: { value: sql`p.created_at`, type: "timestamptz" },
    updated_at: { value: sql`p.updated_at`, type: "timestamptz" },
  },
  byDefault: "created_at",
  id: sql`p.id`,
  idType: "uuid",
};

type Row = Omit<v.InferOutput<typeof PullRequest>, "unmet_requirements"> & { sort_value: string };

/** One page, newest first, in one statement. */
export async function listPullRequests(
  db: Queryable,
  stack: StackRow,
  query: ListQuery,
): Promise<v.InferOutput<typeof PullRequestPage>> {
  const page = listPage(query, LIST);
  const rows = await db.execute<Row>(sql`
    select ${page.sortValue}, p.id, p.number, p.title, p.url, p.body, p.author, p.base_branch, p.head_branch, p.head_sha, p.is_fork,
      p.generation, p.approved, p.approved_reason, p.mergeable, p.checks_passed, p.checks_reason, p.created_at, p.updated_at, l.latest_deployment_id,
      l.status_refusal, l.comment_refusal,
      d.status as latest_deployment_status, coalesce(d.origin_pr_generation = p.generation, false) as preview_is_current
    from pull_request_stacks l join pull_requests p on p.id = l.pull_request_id
    left join deployments d on d.id = l.latest_deployment_id
    where l.stack_key = ${stack.stackKey} and ${page.after} order by ${page.orderBy} limit ${page.limit}`);
  const { items, next_cursor } = page.cut(rows, ({ id }) => id);
  return {
    items: items.map(({ sort_value: _, ...row }) => ({
      ...row,
      created_at: rfc3339(row.created_at),
      updated_at: rfc3339(row.updated_at),
      unmet_requirements: unmet(stack.prRequirements.promote, row),
    })),
    next_cursor,
  };
}
