/**
 * Rebuilds what is known of a branch's open pull requests from one answer of the host
 * (docs/rules/pull-requests.md#the-projection). A delivery is only a hint: whatever comes, in whatever order and
 * however often, the host is asked and the newest answer wins.
 */
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/client.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork, type Work } from "../../work/unitOfWork.ts";
import { carryOut } from "./carryOut.ts";
import type { OpenPullRequest, PullRequestHost } from "./host.ts";
import {
  type BaseBranch,
  lockNewest,
  lockRequests,
  lockStacks,
  readFacts,
  takeNumber,
  writeRequests,
} from "./projection.ts";
import { type Answer, stepsFor } from "./steps.ts";

/** `outdated`: another ask began after this one, so that its answer counts instead, or the integration is gone. */
export type SyncOutcome = "applied" | "outdated";

/**
 * Ask the host for the open pull requests of `branch` and store its answer with all that follows: stacks touched,
 * previews made and taken back. `eventId` is the inbox row that led to it.
 * @throws what the host throws; nothing is stored then. What it could not say of a request for now is thrown once the
 * rest is stored, so that it is asked again.
 */
export async function syncPullRequests(
  service: Service,
  host: PullRequestHost,
  branch: BaseBranch,
  eventId: string | null,
): Promise<SyncOutcome> {
  const asked = await takeNumber(service.db, branch);
  const open = await host.openPullRequests(branch, branch.branch);
  const outcome = await applyAnswer(service, branch, asked, open, eventId);
  const unsaid = open.find(({ failure }) => failure !== undefined);
  if (unsaid && outcome === "applied") throw unsaid.failure;
  return outcome;
}

/** Store one answer, whole or not at all. */
export async function applyAnswer(
  service: Service,
  branch: BaseBranch,
  asked: string,
  open: readonly OpenPullRequest[],
  eventId: string | null,
): Promise<SyncOutcome> {
  return unitOfWork(service, async (work) => {
    const { tx } = work;
    if (eventId !== null && !(await holdEvent(tx, eventId))) return "outdated";
    if (!(await lockNewest(tx, branch, asked))) return "outdated";
    const numbers = new Set(open.map(({ number }) => number));
    const before = await lockRequests(tx, branch, [...numbers]);
    const written = await writeRequests(tx, branch, open);
    const closed = before.filter((row) => row.base_branch === branch.branch && !numbers.has(row.number));
    await reconcileStacks(work, branch, { open, before, written, closed }, eventId);
    if (closed.length > 0) {
      await tx.execute(
        sql`delete from pull_requests where id = any(${`{${closed.map(({ id }) => id).join(",")}}`}::uuid[])`,
      );
    }
    return "applied";
  });
}

/**
 * An event that is gone went with its integration, whose stacks have left their pull requests: an answer that was asked
 * for before must not bring them back. Held, so that such a deletion comes before or after as a whole.
 */
async function holdEvent(tx: Tx, eventId: string): Promise<boolean> {
  const rows = await tx.execute(sql`select 1 from scm_events where id = ${eventId} for key share`);
  return rows.length > 0;
}

/** Find the stacks concerned, lock them, decide again on what is true under their locks, and carry it out. */
async function reconcileStacks(work: Work, branch: BaseBranch, answer: Answer, eventId: string | null): Promise<void> {
  const ids = [...answer.written, ...answer.closed].map(({ id }) => id);
  if (ids.length === 0) return;
  const hinted = stepsFor(answer, await readFacts(work.tx, branch, ids));
  if (hinted.length === 0) return;
  const locked = new Set(hinted.map(({ stackKey }) => stackKey));
  await lockStacks(work.tx, locked);
  const steps = stepsFor(answer, await readFacts(work.tx, branch, ids));
  for (const step of steps) if (locked.has(step.stackKey)) await carryOut(work, branch, step, eventId);
}
