/** A policy by its name. */
import { answerOf } from "../../clients/api/client.ts";
import { EXIT } from "../exit/exitCodes.ts";
import { Failure } from "../exit/failure.ts";
import type { Session } from "../service/session.ts";
import type { Policy } from "../service/types.ts";

/** There are few of them. @throws Failure: not found, ApiError */
export async function findPolicy({ api, orgId }: Session, named: string): Promise<Policy> {
  const params = { path: { org_id: orgId }, query: { limit: 200 } };
  const { items } = await answerOf(api.GET("/api/v1/orgs/{org_id}/policies", { params }));
  const found = items.find(({ id, name }) => name === named || id === named);
  if (found === undefined)
    throw Failure.of(EXIT.notFound, `There is no policy ${named}.`, "deploy policies lists them");
  return found;
}
