/**
 * How much of something one person or organization may have (docs/rules/limits.md#quotas). Whatever adds to it says so
 * in its unit of work; the count is taken at the end of the transaction, one organization's after the other, so that
 * additions at once never exceed it together.
 */
import { type SQL, sql } from "drizzle-orm";
import { sqlState } from "../platform/db/sqlState.ts";
import { ProblemError } from "../platform/problems/problem.ts";

/** What is counted. The names are those of `hold_quotas`. */
const QUOTAS = {
  organizations: { setting: "SVC_QUOTA_ORGANIZATIONS", of: "organizations that one person has created" },
  stacks: { setting: "SVC_QUOTA_STACKS", of: "stacks in one organization" },
  queued_deployments: {
    setting: "SVC_QUOTA_QUEUED_DEPLOYMENTS",
    of: "deployments of one organization that have not begun",
  },
  log_bytes: { setting: "SVC_QUOTA_LOG_BYTES", of: "bytes of one run's log" },
  artifact_bytes: { setting: "SVC_QUOTA_ARTIFACT_BYTES", of: "bytes of one run's artifacts" },
} as const;

export type Quota = keyof typeof QUOTAS;
export type CountedAtTheEnd = Extract<Quota, "organizations" | "stacks" | "queued_deployments">;

/** The most of each, as the operator sets it. */
export type Quotas = Record<CountedAtTheEnd, number>;

/** One more of `quota` for `owner`, the id of a person or an organization. */
export type Addition = { quota: CountedAtTheEnd; owner: string };

/** The caller, or its organization, has as much as it may have. */
export class QuotaReachedError extends ProblemError {
  constructor(quota: Quota, limit: number, present: number) {
    const { setting, of } = QUOTAS[quota];
    const detail = `The quota ${quota} is reached: at most ${limit} ${of}, and there are ${present}. An operator sets it by ${setting}.`;
    super({ status: 409, code: "quota_reached", detail });
  }
}

/** SQL state of what `hold_quotas` raises. */
const REACHED = "SVQ01";

/** An expression that fails when one of the additions is one too many; each owner's lock is held from then on. */
export function withinQuotas(quotas: Quotas, additions: readonly Addition[]): SQL {
  const byOwner = Map.groupBy(additions, ({ quota, owner }) => `${quota} ${owner}`);
  const counted = [...byOwner.values()].map(([first, ...more]) => {
    const { quota, owner } = first as Addition;
    return { quota, owner, added: 1 + more.length, most: quotas[quota] };
  });
  return sql`hold_quotas(${JSON.stringify(counted)}::jsonb)`;
}

/** What an error of that expression means to the caller; any other error as it is. */
export function refusedByQuota(error: unknown): unknown {
  if (sqlState(error) !== REACHED) return error;
  const { quota, most, present } = JSON.parse(detailOf(error)) as { quota: Quota; most: number; present: number };
  return new QuotaReachedError(quota, most, present);
}

function detailOf(error: unknown): string {
  const { detail, cause } = error as { detail?: string; cause?: { detail?: string } };
  return detail ?? cause?.detail ?? "";
}
