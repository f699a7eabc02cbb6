/** The tasks that keep the resource index: of one stack, of all stacks of an organization, and of who is gone. */
import { sql } from "drizzle-orm";
import { requestTask } from "../../work/tasks/requestTask.ts";
import type { KindOfWork, TaskDeps } from "../tasks/kinds.ts";
import { type IndexProgress, indexStack } from "./indexStack.ts";
import { currentInstallation, isIndexedIn, setInstallation } from "./installation.ts";
import { purgeOrganization, purgeStack } from "./purge.ts";

const STACKS = 200;
const NIL = "00000000-0000-0000-0000-000000000000";

const indexDeps = ({ service, explore, objects }: TaskDeps) => ({ main: service.db, explore, objects });

export const resourceIndexReconcile: KindOfWork = {
  cursorVersion: 1,
  async runSlice(deps, { orgId, stackKey, cursor }, deadline) {
    if (stackKey === null) return { done: true };
    const progress = await indexStack(
      indexDeps(deps),
      { orgId, stackKey },
      cursor as IndexProgress | null,
      deadline.passed,
    );
    if (progress !== null) return { done: false, cursor: progress };
    const complete = await isIndexedIn(deps.service.db, orgId, await currentInstallation(deps.explore));
    // The other stacks' rows were lost with another explore database, or never made.
    await requestTask(deps, orgId, complete ? "org_findings_rebuild" : "resource_index_rebuild");
    return { done: true };
  },
};

type RebuildCursor = { installation: string; stack: string; progress: IndexProgress | null };

/** Also repairs: what every newest analysis says is compared with every row. */
export const resourceIndexRebuild: KindOfWork = {
  cursorVersion: 1,
  async runSlice(deps, { orgId, cursor }, deadline) {
    const installation = await currentInstallation(deps.explore);
    let at = cursor as RebuildCursor | null;
    if (at?.installation !== installation) {
      await purgeGone(deps, orgId);
      at = { installation, stack: NIL, progress: null };
    }
    for (;;) {
      const stacks = await nextStacks(deps, orgId, at);
      for (const { stackKey } of stacks) {
        const progress = at.progress !== null && stackKey === at.stack ? at.progress : null;
        const stopped = await indexStack(indexDeps(deps), { orgId, stackKey }, progress, deadline.passed);
        at = { installation, stack: stackKey, progress: stopped };
        if (deadline.passed()) return { done: false, cursor: at };
        await deadline.keep(at);
      }
      if (stacks.length < STACKS) break;
    }
    await setInstallation(deps.service.db, orgId, installation);
    await requestTask(deps, orgId, "org_findings_rebuild");
    return { done: true };
  },
};

export const explorePurge: KindOfWork = {
  cursorVersion: 1,
  async runSlice(deps, { orgId, stackKey }) {
    if (stackKey === null) {
      const known = await deps.service.db.execute(sql`select from organizations where id = ${orgId}`);
      if (known.length === 0) await purgeOrganization(deps.explore, orgId);
      return { done: true };
    }
    await purgeStack(deps.explore, stackKey);
    await requestTask(deps, orgId, "org_findings_rebuild");
    return { done: true };
  },
};

/** From the stack that was stopped in, or the one after the last that was finished. */
async function nextStacks({ service }: TaskDeps, orgId: string, at: RebuildCursor): Promise<{ stackKey: string }[]> {
  const beyond = at.progress === null ? sql`>` : sql`>=`;
  return await service.db.execute<{ stackKey: string }>(sql`
    select stack_key as "stackKey" from stacks
    where org_id = ${orgId} and deleted_at is null and stack_key ${beyond} ${at.stack}::uuid
    order by stack_key limit ${STACKS}`);
}

/** What the explore database has of stacks that do not live: it may be older than the main one, from a backup. */
async function purgeGone({ service, explore }: TaskDeps, orgId: string): Promise<void> {
  for (let after = NIL; ; ) {
    const indexed = await explore.execute<{ key: string }>(sql`
      select stack_key as key from explore.stacks where org_id = ${orgId} and stack_key > ${after}::uuid
      order by stack_key limit ${STACKS}`);
    const keys = indexed.map(({ key }) => key);
    const gone = await service.db.execute<{
      key: string;
    }>(sql`
      select k.key from unnest(${sql.param(keys)}::uuid[]) as k (key)
      where not exists (select from stacks s where s.stack_key = k.key and s.org_id = ${orgId} and s.deleted_at is null)`);
    for (const { key } of gone) await purgeStack(explore, key);
    const last = keys.at(-1);
    if (last === undefined || keys.length < STACKS) return;
    after = last;
  }
}
