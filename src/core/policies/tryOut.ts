/** A policy on a plan of the past, before it counts. */

import { sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import { requireOrg } from "../../people/authorization/authorize.ts";
import type { Db } from "../../platform/db/client.ts";
import { NotFoundError } from "../../platform/problems/problem.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { requireUuids } from "../../platform/problems/requireRow.ts";
import { authorizeDeployment } from "../deployments/authorizeDeployment.ts";
import { policyVersion } from "./facts.ts";
import { type LookDeps, look } from "./look.ts";
import type { PolicyResult } from "./result.ts";
import type { Outcome } from "./schema.ts";
import { verdictOf } from "./verdict.ts";

export type TryOut = {
  stack_id: string;
  deployment_id: string;
  run_id?: string | undefined;
  version?: number | undefined;
};

/**
 * What a version says of a plan; the newest one, and the newest plan, where none is named. Nothing is stored. Needs
 * (policy, read) and to read the stack.
 * @throws ForbiddenError, NotFoundError, NoPlanError, InvalidValueError
 */
export async function tryOut(
  deps: LookDeps,
  db: Db,
  subject: Subject,
  { orgId, policyId }: { orgId: string; policyId: string },
  { stack_id: stackId, deployment_id: deploymentId, run_id: planRunId, version }: TryOut,
): Promise<{ outcome: Outcome; result: PolicyResult }> {
  await requireOrg(db, subject, orgId, { type: "policy", action: "read" });
  requireUuids(orgId, policyId);
  const [policy] = await db.execute<{ last_version: number }>(sql`
    select last_version from policies where id = ${policyId} and org_id = ${orgId}`);
  if (!policy) throw new NotFoundError();
  await authorizeDeployment(db, subject, { orgId, stackId, deploymentId }, "read");
  const chosen = version ?? policy.last_version;
  const asked = await policyVersion(db, { deploymentId, policyId, version: chosen });
  if (asked === null) throw new InvalidValueError([{ field: "version", message: "the policy has no such version" }]);
  const [result] = await look(deps, db, { deploymentId, planRunId }, [asked]);
  if (!result) throw new Error("a policy has no result");
  const { outcome } = verdictOf([{ ...result, enforcement: "mandatory", exemption: null }]);
  return { outcome, result };
}
