/**
 * From where a runner group's token is used: an address that was not seen before is in the audit trail and an event,
 * once (docs/rules/runner-protocol.md#addresses-of-a-group). Whoever copied the key shows here first.
 */
import { sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { recordAudit } from "../../people/audit/record.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { publish } from "../../work/publish.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork, type Work } from "../../work/unitOfWork.ts";
import type { runnerGroups } from "./schema.ts";

/** A process looks again after this long, so that what is in use is not what is forgotten. */
const LOOKS_AGAIN_MS = 3_600_000;
const REMEMBERED = 10_000;
/** Of one group; who has more gets an event for each that comes back. */
const KEPT = 200;

export class GroupAddresses {
  readonly #service: Service;
  readonly #seen = new LRUCache<string, true>({ max: REMEMBERED, ttl: LOOKS_AGAIN_MS });

  constructor(service: Service) {
    this.#service = service;
  }

  /** Costs nothing for an address that this process has seen within the hour. */
  async saw(group: { groupId: string; orgId: string }, address: string | null): Promise<void> {
    const key = `${group.groupId} ${address}`;
    if (address === null || this.#seen.has(key)) return;
    this.#seen.set(key, true);
    try {
      if (!(await this.#known(group.groupId, address))) {
        await unitOfWork(this.#service, (work) => record(work, group, address));
      }
    } catch (error) {
      this.#seen.delete(key);
      throw error;
    }
  }

  async #known(groupId: string, address: string): Promise<boolean> {
    const rows = await this.#service.db.execute(sql`
      update runner_group_addresses set last_seen_at = svc_now() where group_id = ${groupId} and address = ${address}
      returning 1`);
    return rows.length > 0;
  }
}

async function record(work: Work, { groupId, orgId }: { groupId: string; orgId: string }, address: string) {
  const { tx } = work;
  const [group] = await tx.execute<SqlRow<typeof runnerGroups, "name">>(
    sql`select name from runner_groups where id = ${groupId} for no key update`,
  );
  if (group === undefined) return;
  const added = await tx.execute(sql`
    insert into runner_group_addresses (group_id, address) values (${groupId}, ${address}) on conflict do nothing returning 1`);
  if (added.length === 0) return;
  await tx.execute(sql`
    delete from runner_group_addresses where group_id = ${groupId} and address in (
      select address from runner_group_addresses where group_id = ${groupId} order by last_seen_at desc, address offset ${KEPT}::int)`);
  const details = { name: group.name, address };
  await recordAudit(tx, { orgId, actor: null, action: "runner_group.new_address", resourceId: groupId, details });
  const data = { runner_group_id: groupId, runner_group_name: group.name, address };
  await publish(work, { orgId, name: "runner_group_new_address", data });
}
