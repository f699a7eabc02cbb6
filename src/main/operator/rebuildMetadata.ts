/**
 * Everything derived of one organization is computed anew: three tasks that know nothing of each other
 * (docs/rules/graph.md#rebuilding).
 */
import { sql } from "drizzle-orm";
import { recordAudit } from "../../people/audit/record.ts";
import type { SessionHolder } from "../../people/authorization/requireSession.ts";
import { requireSuperAdmin } from "../../people/authorization/superAdmin.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import type { Service } from "../../work/service.ts";
import { enqueueTasks } from "../../work/tasks/enqueue.ts";
import type { TaskKind } from "../../work/tasks/taskKind.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";

const REBUILDS: readonly TaskKind[] = ["dependency_graph_rebuild", "resource_index_rebuild", "org_findings_rebuild"];

/** @throws ForbiddenError unless the caller is a super-admin; NotFoundError for an organization that does not exist */
export async function rebuildMetadata(service: Service, caller: SessionHolder, orgId: string): Promise<void> {
  await unitOfWork(service, async ({ tx, messages }) => {
    await requireSuperAdmin(tx, caller);
    requireUuids(orgId);
    requireRow(await tx.execute(sql`select from organizations where id = ${orgId} for key share`));
    await recordAudit(tx, { orgId, actor: caller, action: "organization.rebuild_metadata", resourceId: orgId });
    await enqueueTasks(
      tx,
      messages,
      REBUILDS.map((kind) => ({ orgId, kind })),
    );
  });
}
