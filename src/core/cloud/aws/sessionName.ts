/** What AWS is told about who assumes a role, for its trust policies and its audit log. */
import type { MintSubject } from "../provider.ts";

/** AWS: 2 to 64 of these. */
const MAX_CHARS = 64;
const NOT_ALLOWED = /[^\w+=,.@-]/g;

/** `<stack>@<deployment id>`: the deployment whole, of the stack's id as much as there is room for. */
export function sessionName({ stackSlug, deploymentId }: MintSubject): string {
  const room = MAX_CHARS - deploymentId.length - 1;
  return `${stackSlug.replace(NOT_ALLOWED, "-").slice(0, room)}@${deploymentId}`;
}

/**
 * `<organization id>:<stack id>`, set by us and never by a request: a role whose trust policy asks for it cannot be
 * assumed for another organization, which could otherwise name the same ARN (the confused deputy).
 */
export function externalId({ orgId, stackSlug }: MintSubject): string {
  return `${orgId}:${stackSlug}`;
}
