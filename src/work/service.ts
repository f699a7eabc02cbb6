/** What every use case needs, put together once by each program's main. Consumers declare the few methods they call. */

import type { Db, Reader } from "../platform/db/client.ts";
import type { Quotas } from "./quotas.ts";
import type { OutboxRow } from "./schema.ts";
import type { Timeouts } from "./timeouts.ts";

/** A line of the `deployment-audit` channel; never holds a script (docs/rules/transitions.md#the-audit-channel). */
export type AuditLine = {
  action: string;
  deploymentId: string;
  orgId: string;
  actorId: string;
  [detail: string]: unknown;
};

export type Service = {
  db: Db;
  /** Where pages of lists are read: never who may read them, nor anything that is decided by. Absent: in `db`. */
  lists?: Reader;
  /** The RUNNER_* settings and the default run duration, in milliseconds. */
  timeouts: Timeouts;
  /** The SVC_QUOTA_* settings. Absent: nothing is counted. */
  quotas?: Quotas;
  /** Best-effort send right after commit; the relay is the guarantee. Must not throw and must not block the caller. */
  sendSoon(rows: OutboxRow[]): void;
  /** Runs became claimable for these selectors: wake the pollers of this process and hint the others. */
  runsPending(selectorIds: string[]): void;
  audit(line: AuditLine): void;
  /**
   * Before people's deployments are made: whether the stack's runs could get their cloud credentials. Asked outside any
   * transaction.
   * @throws UnsupportedRuntimeProviderError, RuntimeCredentialsUnavailableError
   */
  preflight?(stackKey: string): Promise<void>;
  /** A deadline was carried out so many milliseconds after it was due. For the metric. */
  deadlinePassed?(deadline: string, overshootMs: number): void;
};
