/** The lock of a state, taken and given back as an engine does it. */
import { hostname, userInfo } from "node:os";
import { errorOf } from "../../clients/api/problem.ts";
import { EXIT } from "../exit/exitCodes.ts";
import { Failure } from "../exit/failure.ts";
import type { Session } from "../service/session.ts";
import { version } from "../version.ts";

export function statePath({ orgId }: Session, stackId: string): string {
  return `/api/v1/orgs/${orgId}/stacks/${encodeURIComponent(stackId)}/state`;
}

type Held = { id: string; release(): Promise<void> };

/** @throws Failure: conflict, with who has it; ApiError */
export async function takeLock(session: Session, stackId: string, operation: string): Promise<Held> {
  const path = `${statePath(session, stackId)}/lock`;
  const id = crypto.randomUUID();
  const lock = {
    ...{ ID: id, Operation: operation, Info: "", Who: `${person()}@${hostname()}` },
    ...{ Version: `deploy ${version()}`, Created: new Date().toISOString(), Path: "" },
  };
  const headers = { "content-type": "application/json" };
  const answer = await session.fetch(path, { method: "PUT", headers, body: JSON.stringify(lock) });
  if (!answer.ok) throw await refusalOf(answer);
  return {
    id,
    async release() {
      const freed = await session.fetch(`${path}?ID=${id}`, { method: "DELETE" });
      if (!freed.ok) throw await refusalOf(freed);
    },
  };
}

/** In a container its user may have no name. */
function person(): string {
  try {
    return userInfo().username;
  } catch {
    return process.env.USER || "somebody";
  }
}

/** 423 comes with the document of whoever has the lock. */
async function refusalOf(answer: Response): Promise<Error> {
  if (answer.status !== 423) return errorOf(answer);
  const { Who, Operation, Created } = (await answer.json().catch(() => ({}))) as Record<string, string>;
  const since = Created || "a while";
  const message = `The state is locked by ${Who || "somebody"} for ${Operation || "something"} since ${since}.`;
  return Failure.of(EXIT.conflict, message, "If it was left behind, the stack's page takes it away, with a reason");
}
