/**
 * Every twelve hours what is derived of each organization is compared with what it is derived from
 * (docs/rules/graph.md#rebuilding).
 */
import { sql } from "drizzle-orm";
import type { Service } from "../../work/service.ts";
import { enqueueTasks } from "../../work/tasks/enqueue.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";

const NIL = "00000000-0000-0000-0000-000000000000";
const PAGE = 200;

/** One `dependency_graph_rebuild` for each organization that has a stack. */
export async function sweepDependencies(service: Service): Promise<{ rebuilds: number }> {
  let rebuilds = 0;
  for (let after = NIL; ; ) {
    const orgs = await service.db.execute<{ id: string }>(sql`
      select o.id from organizations o
      where o.id > ${after}::uuid and exists (select from stacks s where s.org_id = o.id and s.deleted_at is null)
      order by o.id limit ${PAGE}`);
    await unitOfWork(service, ({ tx, messages }) =>
      enqueueTasks(
        tx,
        messages,
        orgs.map(({ id }) => ({ orgId: id, kind: "dependency_graph_rebuild" as const })),
      ),
    );
    rebuilds += orgs.length;
    const last = orgs.at(-1);
    if (last === undefined || orgs.length < PAGE) return { rebuilds };
    after = last.id;
  }
}
