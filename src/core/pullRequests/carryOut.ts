/** Carries out what a pull request's present state asks for on one locked stack. */
import { sql } from "drizzle-orm";
import type { Work } from "../../work/unitOfWork.ts";
import { lockLane } from "../deployments/lane.ts";
import { createDeployment } from "../deployments/transitions/create.ts";
import { withdrawPreview } from "../deployments/transitions/withdrawPreview.ts";
import { writeChange } from "../deployments/writeChange.ts";
import { previewMessage } from "../stacks/previewName.ts";
import { originOf } from "./origin.ts";
import type { BaseBranch } from "./projection.ts";
import type { RequestSteps } from "./steps.ts";

/** The old preview goes and the new one comes in the same transaction: there is no moment with two, or with none. */
export async function carryOut(
  work: Work,
  { orgId, repositoryKey, branch }: BaseBranch,
  { request, stackKey, withdraw, link, create, news }: RequestSteps,
  eventId: string | null,
): Promise<void> {
  const subject = { orgId, stackKey, repositoryKey, number: request.number };
  for (const { id, reason } of withdraw) {
    const lane = await lockLane(work.tx, id);
    const change = lane && withdrawPreview(lane, reason);
    if (lane && change) await writeChange(work, lane, change);
  }
  if (link === "remove") {
    await work.tx.execute(sql`
      delete from pull_request_stacks where pull_request_id = ${request.id} and stack_key = ${stackKey}`);
    work.messages.push(previewMessage(subject, "closed"));
  }
  if (link === "add") await addLink(work, request.id, stackKey);
  if (create) {
    const { id } = await createDeployment(work, {
      stackKey,
      mode: "plan_unlocked",
      commitSha: request.head_sha,
      source: { asked: { repository_key: repositoryKey, branch } },
      originType: "pull_request",
      provenance: request.is_fork ? "fork" : "pull_request",
      pullRequest: originOf(request, eventId),
      parked: create === "parked",
      actor: null,
    });
    await work.tx.execute(sql`
      update pull_request_stacks set latest_deployment_id = ${id}
      where pull_request_id = ${request.id} and stack_key = ${stackKey}`);
  }
  if (create || link === "add") work.messages.push(previewMessage(subject, "headMoved"));
  else if (news) work.messages.push(previewMessage(subject, "requirementsChanged"));
}

/** A stack that is touched again shows the preview it had. */
async function addLink({ tx }: Work, requestId: string, stackKey: string): Promise<void> {
  await tx.execute(sql`
    insert into pull_request_stacks (pull_request_id, stack_key, latest_deployment_id)
    values (${requestId}, ${stackKey}, (select id from deployments where pull_request_id = ${requestId}
      and stack_key = ${stackKey} and origin_type = 'pull_request' order by created_at desc, id desc limit 1))
    on conflict do nothing`);
}
