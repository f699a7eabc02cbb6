/** Creating a stack: what it needs, the settings of a new one, and its id. */

import type { Subject } from "../../http/principal.ts";
import { requireOrg } from "../../people/authorization/authorize.ts";
import { sqlState } from "../../platform/db/sqlState.ts";
import { NotFoundError, ProblemError } from "../../platform/problems/problem.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import { labelChecks, runnerLabelChecks } from "../labels/protectedKeys.ts";
import { parseRepositoryUrl } from "../stacks/repositoryUrl.ts";
import { type StackRow, stacks } from "../stacks/schema.ts";
import { needsOfNew } from "../stacks/settingNeeds.ts";
import { columnsOf, type StackSettings } from "../stacks/settings.ts";
import { isSlug, slugOf } from "../stacks/slug.ts";
import { recordStackEvent } from "../stacks/stackEvent.ts";

export class StackIdTakenError extends ProblemError {
  constructor(slug: string) {
    super({ status: 409, code: "conflict", detail: `This organization already has a stack with the id ${slug}.` });
  }
}

/** What a repository's address may be, by the operator's setting. */
export type GitRules = { allowProtocols: readonly string[] };

/**
 * Create a stack. Needs (stack, create) on the proposed name, and what its settings and groups need besides.
 * @throws ForbiddenError, InvalidValueError, StackIdTakenError, QuotaReachedError
 */
export async function createStack(
  service: Service,
  git: GitRules,
  subject: Subject,
  orgId: string,
  input: StackSettings & { name: string },
): Promise<StackRow> {
  const { name, ...settings } = input;
  const on = { resourceId: name, resourceGroups: settings.authz_groups };
  await requireOrg(
    service.db,
    subject,
    orgId,
    { type: "stack", action: "create", ...on },
    ...needsOfNew(columnsOf(settings)).map((action) => ({ type: "stack", action, ...on }) as const),
    ...groupChecks(settings.authz_groups),
    ...(await labelChecks(service.db, orgId, {}, settings.labels)),
    ...(await runnerLabelChecks(service.db, orgId, {}, settings.preview_runner_labels)),
    ...(await runnerLabelChecks(service.db, orgId, {}, settings.fork_runner_labels)),
  );
  assertProtocol(git, settings.repository_url);
  const slug = slugFor(name);
  try {
    return await unitOfWork(service, async (work) => {
      const [row] = await work.tx
        .insert(stacks)
        .values({ orgId, slug, name, ...columnsOf(settings) })
        .returning();
      await recordStackEvent(work, row!, "stack_created", subject);
      work.additions.push({ quota: "stacks", owner: orgId });
      return row!;
    });
  } catch (error) {
    if (sqlState(error) === "23505") throw new StackIdTakenError(slug);
    // Only a super-admin passes the check for an organization that does not exist.
    if (sqlState(error) === "23503") throw new NotFoundError();
    throw error;
  }
}

/** @throws InvalidValueError for a name that no id can be made from. */
export function slugFor(name: string): string {
  const slug = slugOf(name);
  if (isSlug(slug)) return slug;
  throw new InvalidValueError([
    { field: "name", message: "must hold a letter or digit: the stack's id is made from it" },
  ]);
}

/** Each group that a write adds or removes needs (stack_authz_group, assign) on its name. */
export function groupChecks(names: readonly string[]) {
  return names.map((name) => ({ type: "stack_authz_group", action: "assign", resourceId: name }) as const);
}

/** @throws InvalidValueError when the operator does not allow the transport. */
export function assertProtocol(git: GitRules, repositoryUrl: string): void {
  const protocol = parseRepositoryUrl(repositoryUrl)?.protocol ?? "";
  if (git.allowProtocols.includes(protocol)) return;
  throw new InvalidValueError([
    { field: "repository_url", message: "must use an allowed transport", allowed: git.allowProtocols },
  ]);
}
