/**
 * Stores deliveries as they come, and those that come while others are being stored together in one statement, which is
 * a transaction of its own: a burst costs the database few commits and its branches few messages.
 */
import { setImmediate } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { isDatabaseOutage } from "../../platform/problems/databaseOutage.ts";
import type { Service } from "../../work/service.ts";
import { WRITER_OWNS } from "../../work/unitOfWork.ts";
import { type EventRow, eventRow, type NewEvent, type Repository, type Taken } from "./inbox.ts";

type Waiting = { rows: EventRow[]; resolve: (ids: string[] | null) => void; reject: (error: unknown) => void };

/** Statements at once, and deliveries in one: what comes during one statement goes into the next. */
const AT_ONCE = 2;
const TOGETHER = 50;

export class Deliveries {
  readonly #service: Pick<Service, "db" | "sendSoon">;
  #waiting: Waiting[] = [];
  #busy = 0;
  #storing = 0;

  constructor(service: Pick<Service, "db" | "sendSoon">) {
    this.#service = service;
  }

  /**
   * The ids of what is new, once it is committed. Null, and nothing is stored, when the organization's integrations are
   * not those of `version` any more.
   */
  add(repository: Repository, events: readonly NewEvent[], version: string): Promise<string[] | null> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ rows: events.map((event) => eventRow(repository, event, version)), resolve, reject });
      void this.#work();
    });
  }

  async #work(): Promise<void> {
    if (this.#busy >= AT_ONCE) return;
    this.#busy += 1;
    while (this.#waiting.length > 0) {
      // What has arrived at the process's door by now comes along.
      await setImmediate();
      await this.#store(this.#waiting.splice(0, this.#share()));
    }
    this.#busy -= 1;
  }

  /**
   * What waits is spread over the statements that are free: one for all would leave the database's other cores idle.
   */
  #share(): number {
    return Math.min(TOGETHER, Math.ceil(this.#waiting.length / Math.max(1, AT_ONCE - this.#storing)));
  }

  async #store(batch: readonly Waiting[]): Promise<void> {
    if (batch.length === 0) return;
    this.#storing += 1;
    try {
      const taken = await this.#take(batch.flatMap(({ rows }) => rows));
      const ids = new Set(taken.ids);
      for (const { rows, resolve } of batch) {
        const isStale = rows.some(({ org, version }) => taken.versions[org] !== version);
        resolve(isStale ? null : rows.map(({ id }) => id).filter((id) => ids.has(id)));
      }
      if (taken.messages.length > 0) this.#service.sendSoon(taken.messages);
    } catch (error) {
      // What is wrong with one must not refuse the others.
      const alone = batch.length > 1 && !isDatabaseOutage(error);
      for (const one of batch) await (alone ? this.#store([one]) : one.reject(error));
    } finally {
      this.#storing -= 1;
    }
  }

  async #take(rows: readonly EventRow[]): Promise<Taken> {
    const [row] = (await this.#service.db.execute(sql`
      select take_scm_deliveries(${JSON.stringify(rows)}::jsonb, ${WRITER_OWNS}::interval) as taken`)) as unknown as [
      { taken: Taken },
    ];
    return row.taken;
  }
}
