/** Open pull requests and the stacks each of them touches. */
import { sql } from "drizzle-orm";
import { bigint, boolean, integer, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../../platform/db/columns.ts";

export const pullRequests = pgTable("pull_requests", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  repositoryKey: text("repository_key").notNull(),
  number: integer("number").notNull(),
  title: text("title").notNull(),
  url: text("url").notNull(),
  body: text("body").notNull().default(""),
  author: text("author"),
  baseBranch: text("base_branch").notNull(),
  headBranch: text("head_branch").notNull(),
  headSha: text("head_sha").notNull(),
  isFork: boolean("is_fork").notNull(),
  generation: integer("generation").notNull().default(1),
  filesComplete: boolean("files_complete").notNull(),
  approved: boolean("approved"),
  approvedReason: text("approved_reason"),
  mergeable: boolean("mergeable"),
  checksPassed: boolean("checks_passed"),
  checksReason: text("checks_reason"),
  hostUpdatedAt: instant("host_updated_at").notNull(),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  updatedAt: instant("updated_at").notNull().default(sql`svc_now()`),
});

export const pullRequestStacks = pgTable(
  "pull_request_stacks",
  {
    pullRequestId: uuid("pull_request_id").notNull(),
    stackKey: uuid("stack_key").notNull(),
    latestDeploymentId: uuid("latest_deployment_id"),
    commentId: text("comment_id"),
    publishedStatus: text("published_status"),
    statusRefusal: text("status_refusal"),
    commentRefusal: text("comment_refusal"),
    createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  },
  (t) => [primaryKey({ columns: [t.pullRequestId, t.stackKey] })],
);

/** A base branch and the number of its newest question to the host: an older answer does not count. */
export const scmBranches = pgTable(
  "scm_branches",
  {
    orgId: uuid("org_id").notNull(),
    repositoryKey: text("repository_key").notNull(),
    branch: text("branch").notNull(),
    asked: bigint("asked", { mode: "number" }).notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.orgId, t.repositoryKey, t.branch] })],
);
