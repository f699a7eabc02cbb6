/** Whether a delivery is signed by the integration that its address names, and what whoever has not signed is told. */
import type { Context } from "hono";
import type { FailureLimit } from "../../http/failureLimit.ts";
import { NotFoundError, ProblemError } from "../../platform/problems/problem.ts";
import { DIALECTS, type HeaderOf } from "./dialects.ts";
import type { KnownIntegrations, OrgIntegrations } from "./knownIntegrations.ts";

/** Who delivers, for limits of those whose deliveries come to nothing. */
export type Senders = { limit: FailureLimit; addressOf: (c: Context) => string };

class BadSignatureError extends ProblemError {
  constructor() {
    const detail =
      "There is no such integration, or its webhook secret did not sign the delivery, in the way of its kind of host.";
    super({ status: 401, code: "not_authenticated", detail });
  }
}

type Asked = {
  orgId: string;
  id: string;
  body: Buffer;
  header: HeaderOf;
  /** By a secret that is remembered. Who has that is no stranger, and is not counted as one after a change. */
  isSigned: boolean;
};

/**
 * The integrations as they are now, of which the one that is named has signed. That there is no such one is answered as
 * a bad signature is; only who has signed for one of another organization is told that it is not here.
 * @throws BadSignatureError, NotFoundError, TooManyRequestsError
 */
export async function readSigned(
  { known, senders: { limit, addressOf } }: { known: KnownIntegrations; senders: Senders },
  c: Context,
  { orgId, id, body, header, isSigned }: Asked,
): Promise<OrgIntegrations> {
  if (known.isUnknown(orgId, id)) throw new BadSignatureError();
  const address = addressOf(c);
  const inTurn = !isSigned && limit.isSpent(address);
  const integrations = inTurn ? await known.readInTurn(orgId) : await known.read(orgId);
  if (integrations !== null && (await isFrom(integrations, id, body, header))) return integrations;
  limit.failed(address);
  if (inTurn) limit.check(address);
  else if (!integrations?.inOrder.some((row) => row.id === id)) {
    const other = await known.elsewhere(id);
    if (other === null) known.noteUnknown(orgId, id);
    else if (DIALECTS[other.hostKind].isAuthentic(body, header, other.secret)) throw new NotFoundError();
  }
  throw new BadSignatureError();
}

/** Not known here: what is judged by it is refused, or judged again with rows read now. */
export function dialectOf({ inOrder }: OrgIntegrations, id: string) {
  return DIALECTS[inOrder.find((row) => row.id === id)?.hostKind ?? "github"];
}

export async function isFrom(integrations: OrgIntegrations, id: string, body: Buffer, header: HeaderOf) {
  return dialectOf(integrations, id).isAuthentic(body, header, await integrations.secretOf(id));
}
