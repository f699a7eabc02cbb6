/** The deployment that is meant. */
import { answerOf } from "../../clients/api/client.ts";
import { EXIT } from "../exit/exitCodes.ts";
import { Failure, usage } from "../exit/failure.ts";
import { type Session, stackIdOf } from "../service/session.ts";
import type { Deployment } from "../service/types.ts";
import type { DeploymentPath } from "../watching/watch.ts";
import { createdAtOf, locate } from "./locator.ts";

/** Clocks of the service and of its database may differ by this much. */
const AROUND_MS = 120_000;

/** @param named nothing: the present one of the stack of this place. @throws Failure, ApiError */
export async function findDeployment(session: Session, named: string | undefined, stack?: string): Promise<Deployment> {
  const located = named === undefined ? null : locate(named);
  if (located?.kind === "deployment") {
    if (located.page !== undefined) assertHere(session, located.page);
    const stackId = located.stack ?? stack ?? (await stackOfDeployment(session, located.id));
    return readDeployment(session, { stackId, id: located.id });
  }
  return presentDeployment(session, await stackIdOf(session, located?.stack ?? stack));
}

/** A page of another service or organization is not looked for in this one. @throws Failure: usage */
function assertHere({ host, orgId }: Session, page: { host: string; orgId: string }): void {
  if (page.host !== host) {
    throw usage(`That page is of ${page.host}, and ${host} is called.`, "deploy profile list shows your sign-ins");
  }
  if (page.orgId.toLowerCase() !== orgId.toLowerCase()) {
    throw usage("That page is of another organization.", `Name it, with a sign-in for it: --org ${page.orgId}`);
  }
}

export async function readDeployment({ api, orgId }: Session, { stackId, id }: DeploymentPath): Promise<Deployment> {
  const path = { org_id: orgId, stack_id: stackId, id };
  return answerOf(api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}", { params: { path } }));
}

export function pathOf({ stack_id, id }: Pick<Deployment, "stack_id" | "id">): DeploymentPath {
  return { stackId: stack_id, id };
}

/** Who holds the lane, or else the newest. */
async function presentDeployment(session: Session, stackId: string): Promise<Deployment> {
  const { api, orgId } = session;
  const path = { org_id: orgId, stack_id: stackId };
  const { holder } = await answerOf(api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/queue", { params: { path } }));
  if (holder !== null) return readDeployment(session, pathOf(holder));
  const params = { path, query: { limit: 1, sort: "created_at", order: "desc" } as const };
  const page = await answerOf(api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments", { params }));
  const [newest] = page.items;
  if (newest === undefined) {
    throw Failure.of(EXIT.notFound, `Stack ${stackId} has no deployment.`, `Begin one: deploy up ${stackId}`);
  }
  return readDeployment(session, pathOf(newest));
}

/** The id says when it was made, and then there were few. */
async function stackOfDeployment({ api, orgId }: Session, id: string): Promise<string> {
  const missing = Failure.of(
    EXIT.notFound,
    `There is no deployment ${id} in this organization for you.`,
    "deploy whoami says which organization it is; --org names another one",
  );
  const at = createdAtOf(id);
  if (at === null) throw missing;
  const instant = (ms: number) => new Date(ms).toISOString();
  const around = { created_after: instant(at - AROUND_MS), created_before: instant(at + AROUND_MS), limit: 200 };
  for (let cursor: string | undefined; ; ) {
    const params = { path: { org_id: orgId }, query: { ...around, ...(cursor !== undefined && { cursor }) } };
    const { items, next_cursor } = await answerOf(api.GET("/api/v1/orgs/{org_id}/deployments", { params }));
    const found = items.find((deployment) => deployment.id === id);
    if (found !== undefined) return found.stack_id;
    if (next_cursor === null) throw missing;
    cursor = next_cursor;
  }
}
