/** Everything derived of one organization is computed anew (spec 4.6): three tasks that know nothing of each other. */
import { sql } from "drizzle-orm";
import { recordAudit } from "../audit/record.ts";
import { unitOfWork } from "../db/unitOfWork.ts";
import { NotFoundError } from "../http/problem.ts";
import { isUuid } from "../platform/ids/uuid.ts";
import type { Service } from "../service.ts";
import type { SessionHolder } from "../sessions/requireSession.ts";
import { enqueueTasks } from "../tasks/enqueue.ts";
import type { TaskKind } from "../tasks/taskKind.ts";
import { requireSuperAdmin } from "../users/superAdmin.ts";

const REBUILDS: readonly TaskKind[] = ["dependency_graph_rebuild", "resource_index_rebuild", "org_findings_rebuild"];

/** @throws ForbiddenError unless the caller is a super-admin; NotFoundError for an organization that does not exist */
export async function rebuildMetadata(service: Service, caller: SessionHolder, orgId: string): Promise<void> {
  await unitOfWork(service, async ({ tx, messages }) => {
    await requireSuperAdmin(tx, caller);
    const known = isUuid(orgId)
      ? await tx.execute(sql`select from organizations where id = ${orgId} for key share`)
      : [];
    if (known.length === 0) throw new NotFoundError();
    await recordAudit(tx, { orgId, actor: caller, action: "organization.rebuild_metadata", resourceId: orgId });
    await enqueueTasks(
      tx,
      messages,
      REBUILDS.map((kind) => ({ orgId, kind })),
    );
  });
}
