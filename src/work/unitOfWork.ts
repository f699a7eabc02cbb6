/**
 * One transaction and what may only happen once it has committed: sending its messages, waking pollers, audit lines.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Db, Tx } from "../platform/db/client.ts";
import { sqlState } from "../platform/db/sqlState.ts";
import { currentTraceparent } from "../platform/telemetry/traceContext.ts";
import type { OutboxMessage } from "./message.ts";
import { type Addition, type Quotas, refusedByQuota, withinQuotas } from "./quotas.ts";
import { hasReceivers } from "./receivers.ts";
import type { OutboxRow } from "./schema.ts";
import type { AuditLine, Service } from "./service.ts";
import type { Timeouts } from "./timeouts.ts";

export type Work = {
  tx: Tx;
  /** Written to the outbox in one statement at the end of the transaction. */
  messages: OutboxMessage[];
  /** Selectors of runs that became pending. */
  pendingSelectors: Set<string>;
  audit: AuditLine[];
  /** What has to be within its quota when the transaction ends. */
  additions: Addition[];
  /** The service's limits, for what a transition tells of its deadlines. */
  timeouts: Timeouts;
};

/** How long the writer owns its outbox rows before a relay may take them. */
export const WRITER_OWNS = "2 seconds";
/** A deadlock or serialization failure has no effect and may simply be tried again. */
const RETRIABLE = new Set(["40P01", "40001"]);

/**
 * Run `body` in one transaction. It may be run again after a deadlock, so it must have no effect outside the database
 * except through `work`.
 * @throws QuotaReachedError
 */
export function unitOfWork<T>(service: Service, body: (work: Work) => Promise<T>): Promise<T> {
  return again(() => once(service, body));
}

/** The same for a transaction that sends nothing. */
export function inTransaction<T>(db: Db, body: (tx: Tx) => Promise<T>): Promise<T> {
  return again(() => db.transaction(body));
}

async function again<T>(attempted: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await attempted();
    } catch (error) {
      if (attempt < 4 && RETRIABLE.has(sqlState(error) ?? "")) continue;
      throw error;
    }
  }
}

async function once<T>(service: Service, body: (work: Work) => Promise<T>): Promise<T> {
  let rows: OutboxRow[] = [];
  const { timeouts, quotas } = service;
  const work: Omit<Work, "tx"> = { messages: [], pendingSelectors: new Set(), audit: [], additions: [], timeouts };
  const result = await service.db
    .transaction(async (tx) => {
      const value = await body({ tx, ...work });
      rows = await writeOutbox(tx, work.messages, quotas && additionsWithin(quotas, work.additions));
      return value;
    })
    .catch((error: unknown) => {
      throw refusedByQuota(error);
    });
  if (rows.length > 0) service.sendSoon(rows);
  if (work.pendingSelectors.size > 0) service.runsPending([...work.pendingSelectors]);
  for (const line of work.audit) service.audit(line);
  return result;
}

function additionsWithin(quotas: Quotas, additions: readonly Addition[]): SQL | undefined {
  return additions.length === 0 ? undefined : withinQuotas(quotas, additions);
}

/**
 * Insert messages; the caller's process owns them for the first 2 s (docs/rules/workflows.md#the-outbox). `held` is
 * looked at first, in the same statement.
 */
async function writeOutbox(tx: Tx, messages: OutboxMessage[], held: SQL | undefined): Promise<OutboxRow[]> {
  if (messages.length === 0) {
    if (held !== undefined) await tx.execute(sql`select ${held}`);
    return [];
  }
  const written = sql`${JSON.stringify(messages)}::jsonb`;
  const rows =
    held === undefined
      ? sql`jsonb_array_elements(${written}) m`
      : sql`(select ${held} as held offset 0) quotas, jsonb_array_elements(case when quotas.held then ${written} end) m`;
  return await tx.execute<OutboxRow>(sql`
    insert into outbox (message, due_at, traceparent)
    select m, svc_now() + case when outbox_class(m) < 2 then ${WRITER_OWNS}::interval else interval '0' end, ${currentTraceparent()}::text
    from ${rows}
    where ${hasReceivers(sql`m`)}
    returning id, message, traceparent, class`);
}
