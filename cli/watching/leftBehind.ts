/** What commands that were killed have left behind, told by the next one. */
import { answerOf } from "../../clients/api/client.ts";
import type { Session } from "../service/session.ts";
import { type Held, takeLeftBehind } from "./held.ts";
import { isOver } from "./stages.ts";

/** @returns sentences; none of what is over, or cannot be read any more */
export async function leftBehindOf(session: Session, folder: string): Promise<string[]> {
  const told = await Promise.all(takeLeftBehind(folder, session).map((held) => sentence(session, held)));
  return told.filter((text) => text !== null);
}

async function sentence({ api, orgId }: Session, { stackId, id }: Held): Promise<string | null> {
  if (id === null)
    return `A command that was killed may have begun a deployment of ${stackId}: deploy queue ${stackId}`;
  const path = { org_id: orgId, stack_id: stackId, id };
  const call = api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}", { params: { path } });
  const found = await answerOf(call).catch(() => null);
  if (found === null || isOver(found)) return null;
  const begun = `Deployment ${stackId}/${id}, begun by a command that was killed,`;
  return found.status === "waiting"
    ? `${begun} waits for a person: deploy confirm ${stackId}/${id}`
    : `${begun} goes on: deploy watch ${stackId}/${id}`;
}
