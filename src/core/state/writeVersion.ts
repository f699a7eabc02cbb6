/**
 * A new version of a state: its row, its object, and then, in one transaction, whether it may follow the newest one.
 * Interrupted before that, the row still names the object for housekeeping.
 */
import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";
import type { Db, Tx } from "../../platform/db/client.ts";
import type { SealedObjects } from "../../platform/objects/sealed.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork, type Work } from "../../work/unitOfWork.ts";
import { decideWrite, type Newest } from "./decideWrite.ts";
import { StateConflictError, StateForbiddenError } from "./errors.ts";
import { stateKey, statePlace } from "./place.ts";
import type { STATE_ORIGINS } from "./schema.ts";
import { type StateFacts, StateScanner } from "./stateScanner.ts";
import { held, holderOf, type StateUser } from "./stateUser.ts";

export type StateDeps = {
  service: Service;
  /** The same as the service's. */
  db: Db;
  objects: SealedObjects;
  /** Versions of a stack that are kept whatever their age. */
  keepVersions: number;
};

export type NewVersion = {
  origin: (typeof STATE_ORIGINS)[number];
  body: AsyncIterable<Uint8Array>;
  /** As the sender computed it. */
  md5?: Buffer | undefined;
  /** Of a rollback: the number of the version that comes back. */
  restores?: number;
  /** It need not follow the newest one; nothing is promoted meanwhile. */
  anyOrder?: boolean;
};

export type Measured = StateFacts & { id: string; size: number; sha256: string };

/**
 * What must hold of the stack's state when the version is taken; throws the refusal. Asked under the lock of the
 * row, with the newest version.
 */
export type Condition = (tx: Tx, state: StateRow, sent: Measured) => void | Promise<void>;

/** What is written beside a version that is taken. */
type Stored = (work: Work, number: number, sent: Measured) => Promise<void>;

export type StateRow = {
  lock_id: string | null;
  lock_info: unknown;
  lock_run_id: string | null;
  last_number: number;
  newest: (Newest & { number: number }) | null;
};

/**
 * @returns the number of the version that has these bytes
 * @throws InvalidValueError when it is no state or other bytes than were meant, StateConflictError,
 * StateForbiddenError, StorageUnavailableError, and what `body` and `condition` throw
 */
export async function writeVersion(
  deps: StateDeps,
  user: StateUser,
  version: NewVersion,
  condition: Condition,
  stored: Stored,
): Promise<number> {
  const id = uuidv7();
  const key = stateKey(user.stackKey, id);
  const by = holderOf(user);
  await deps.db.execute(sql`
    insert into state_versions (id, org_id, stack_key, object_key, origin, run_id, created_by, created_by_kind, restores)
    values (${id}, ${user.orgId}, ${user.stackKey}, ${key}, ${version.origin}, ${by.lock_run_id}::uuid,
      ${by.locked_by}::text, ${by.locked_by_kind}::text, ${version.restores ?? null}::bigint)`);
  let number: number | null = null;
  try {
    const sent = await store(deps.objects, id, key, version);
    number = await unitOfWork(deps.service, (work) =>
      take(work, deps.keepVersions, user, version, sent, condition, stored),
    );
    const taken = number;
    if (taken === null) throw new StateForbiddenError();
    return taken < 0 ? -taken : taken;
  } finally {
    // Best effort: the row still names the object for housekeeping.
    if (number === null || number < 0) await forget(deps, id, key).catch(() => {});
  }
}

async function store(objects: SealedObjects, id: string, key: string, { body, md5 }: NewVersion): Promise<Measured> {
  const scanner = new StateScanner();
  const digest = createHash("md5");
  const read = async function* () {
    for await (const chunk of body) {
      scanner.push(chunk);
      digest.update(chunk);
      yield chunk;
    }
  };
  const { size, sha256 } = await objects.putSealed(key, statePlace(id), read());
  if (md5 !== undefined && !md5.equals(digest.digest()))
    throw refused("Content-MD5", "is not the digest of what arrived");
  const facts = scanner.facts();
  if (facts === null) throw refused("body", "is no state: it has no serial and lineage at its top");
  return { ...facts, id, size, sha256 };
}

function refused(field: string, message: string): InvalidValueError {
  return new InvalidValueError([{ field, message }]);
}

/** @returns the number of the new version, or as a negative one that of the same bytes; null: the run is over */
async function take(
  work: Work,
  keepVersions: number,
  user: StateUser,
  { anyOrder }: Pick<NewVersion, "anyOrder">,
  sent: Measured,
  condition: Condition,
  stored: Stored,
): Promise<number | null> {
  const { tx } = work;
  const goesOn = await tx.execute(sql`select held from ${held(user)} u`);
  if (goesOn.length === 0) return null;
  // Before the row of the state, as whoever ends a run does.
  if (anyOrder) await tx.execute(sql`select from stacks where stack_key = ${user.stackKey} for no key update`);
  const state = await lockState(tx, user);
  await condition(tx, state, sent);
  const decision = decideWrite(anyOrder ? null : state.newest, sent);
  if (decision.outcome === "refused") throw new StateConflictError(decision.code, decision.why);
  if (decision.outcome === "same") return -(state.newest?.number as number);
  const number = state.last_number + 1;
  await tx.execute(sql`
    with whole as (
      update state_versions set number = ${number}::bigint, serial = ${sent.serial}::bigint, lineage = ${sent.lineage},
        engine_version = ${sent.engineVersion}::text, resources = ${sent.resources}::bigint, size = ${sent.size}::bigint,
        sha256 = ${sent.sha256}
      where id = ${sent.id} returning id, stack_key
    ), beyond as (
      update state_versions v set beyond_last = true from whole
      where v.stack_key = whole.stack_key and v.number <= ${number - keepVersions}::bigint and not v.beyond_last
    )
    update stack_states s set version_id = whole.id, last_number = ${number}::bigint from whole
    where s.stack_key = whole.stack_key`);
  await stored(work, number, sent);
  return number;
}

/** The row of a stack, made if need be, and locked. */
export async function lockState(tx: Tx, { stackKey, orgId }: Pick<StateUser, "stackKey" | "orgId">): Promise<StateRow> {
  const lock = () => tx.execute(sql`select from stack_states where stack_key = ${stackKey} for update`);
  if ((await lock()).length === 0) {
    await tx.execute(sql`
      insert into stack_states (stack_key, org_id) values (${stackKey}, ${orgId}) on conflict (stack_key) do nothing`);
    await lock();
  }
  const [row] = await tx.execute<StateRow>(sql`
    select s.lock_id, s.lock_info, s.lock_run_id, s.last_number::float8 as last_number,
      case when v.id is not null then jsonb_build_object('number', v.number, 'serial', v.serial, 'lineage', v.lineage,
        'sha256', v.sha256) end as newest
    from stack_states s left join state_versions v on v.id = s.version_id where s.stack_key = ${stackKey}`);
  return row as StateRow;
}

async function forget({ db, objects }: StateDeps, id: string, key: string): Promise<void> {
  await objects.delete(key);
  await db.execute(sql`delete from state_versions where id = ${id}`);
}
