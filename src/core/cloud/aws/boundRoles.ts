/**
 * A role is one organization's only where its trust policy asks for the external id
 * (docs/rules/cloud.md#aws-roles-are-bound).
 */
import { InvalidValueError } from "../../../platform/problems/requestErrors.ts";
import type { CloudRole } from "../provider.ts";

const TIMEOUT_MS = 5_000;

/**
 * Refuses roles that are assumed without it. One that AWS refuses, or that AWS does not answer for in time, is taken:
 * accept will tell.
 * @throws InvalidValueError
 */
export async function assertBound(
  roles: readonly CloudRole[],
  isFree: (role: CloudRole, signal: AbortSignal) => Promise<boolean>,
): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const late = new Promise<false>((resolve) => {
    signal.addEventListener("abort", () => resolve(false), { once: true });
  });
  const free = await Promise.all(roles.map((role) => Promise.race([isFree(role, signal).catch(() => false), late])));
  const names = roles.filter((_, i) => free[i]).map(({ name }) => name);
  if (names.length === 0) return;
  const message = `can be assumed without the external id, so by any organization: ${names.join(", ")}; the trust policy must ask for sts:ExternalId`;
  throw new InvalidValueError([{ field: "config.roles", message }]);
}
