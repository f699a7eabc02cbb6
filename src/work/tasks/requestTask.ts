/** One task asks for another of the organization, in a transaction of its own. */

import type { Service } from "../service.ts";
import { unitOfWork } from "../unitOfWork.ts";
import { enqueueTask, FINDINGS_DELAY_MS } from "./enqueue.ts";
import type { TaskKind } from "./taskKind.ts";

export async function requestTask({ service }: { service: Service }, orgId: string, kind: TaskKind): Promise<void> {
  const delayMs = kind === "org_findings_rebuild" ? FINDINGS_DELAY_MS : 0;
  await unitOfWork(service, ({ tx, messages }) => enqueueTask(tx, messages, { orgId, kind, delayMs }));
}
