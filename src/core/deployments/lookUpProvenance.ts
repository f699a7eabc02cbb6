/** How a deployment's provenance is found when it is made (docs/rules/deployments.md#where-the-code-stands). */
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/client.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import type { Provenance } from "./provenance.ts";

/** What whoever was asked for a commit knows of it. */
export type Standing = "on_branch" | "elsewhere" | "unknown";

/** Neither the branch nor a pull request of the repository's own has the commit. */
class CommitNotOnBranchError extends ProblemError {
  constructor(branch: string, isFork: boolean) {
    const where = isFork ? `the head of a fork's pull request and not on branch ${branch}` : `not on branch ${branch}`;
    const message = `is ${where}`;
    super({
      status: 422,
      code: "commit_not_on_branch",
      detail: `The commit is ${where}. With allow_foreign it is planned without secrets and credentials.`,
      errors: [{ field: "commit_sha", message }],
    });
  }
}

type Looked = { stackKey: string; branch: string; commitSha: string; standing: Standing; allowForeign: boolean };

/**
 * The provenance of a commit that was looked up for a stack, in the transaction that makes the deployment.
 * @throws CommitNotOnBranchError for one that is certainly not the branch's, unless the caller allows it
 */
export async function provenanceOf(tx: Tx, looked: Looked): Promise<Provenance> {
  const { branch, standing, allowForeign } = looked;
  if (standing === "on_branch") return "branch";
  const request = await headOfRequest(tx, looked);
  if (request === "pull_request") return request;
  if (allowForeign) return request ?? "foreign";
  if (standing === "unknown" && request === null) return "unknown";
  throw new CommitNotOnBranchError(branch, request === "fork");
}

/** Of several requests with this head one from the repository itself says that its writer pushed it. */
async function headOfRequest(tx: Tx, { stackKey, commitSha }: Looked): Promise<"pull_request" | "fork" | null> {
  const [row] = await tx.execute<{ is_fork: boolean | null }>(sql`
    select bool_and(p.is_fork) as is_fork from stacks s
    join pull_requests p on p.org_id = s.org_id and p.repository_key = s.repository_key and p.head_sha = ${commitSha}
    where s.stack_key = ${stackKey}`);
  const isFork = row?.is_fork ?? null;
  if (isFork === null) return null;
  return isFork ? "fork" : "pull_request";
}
