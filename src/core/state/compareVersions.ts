/** Two versions of a state compared, beside the event loop. */
import { buffer } from "node:stream/consumers";
import type * as v from "valibot";
import type { SealedObjects } from "../../platform/objects/sealed.ts";
import { StorageUnavailableError } from "../../platform/objects/store.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { PayloadTooLargeError } from "../../platform/problems/requestErrors.ts";
import type { StackRow } from "../stacks/schema.ts";
import type { StateChanges } from "./answer.ts";
import type { ComparedStates } from "./compareStates.ts";
import { keysHider } from "./hiddenKeys.ts";
import { statePlace } from "./place.ts";
import { findVersion, type VersionRow, versionBefore } from "./versions.ts";
import type { StateDeps } from "./writeVersion.ts";

/** `compareStates` in a thread. Rejects with what it throws, and when its thread ends. */
export type CompareStates = (states: { before: Uint8Array | null; after: Uint8Array }) => Promise<ComparedStates>;

export type CompareDeps = Pick<StateDeps, "db" | "objects"> & {
  compare: CompareStates;
  /** Of the contexts that the stack has now. Rejects with a DecryptionError. */
  secretsOf: (stack: StackRow) => Promise<string[]>;
};

/** Of each of the two; larger ones are compared by whoever downloads them. */
const MAX_BYTES = 33_554_432;

/** An engine has encrypted it, or it is of a form that this version does not know. */
class UnreadableStateError extends ProblemError {
  constructor(cause: unknown) {
    const detail = "The versions cannot be compared: a state is encrypted by its engine, or of an unknown form.";
    super({ status: 422, code: "invalid_value", detail, cause });
  }
}

/** @throws NotFoundError, PayloadTooLargeError, UnreadableStateError, StorageUnavailableError, DecryptionError */
export async function compareVersions(
  { db, objects, compare, secretsOf }: CompareDeps,
  stack: StackRow,
  id: string,
  from: string | undefined,
): Promise<v.InferInput<typeof StateChanges>> {
  const { stackKey } = stack;
  const to = await findVersion(db, stackKey, id);
  const before =
    from === undefined ? await versionBefore(db, stackKey, Number(to.number)) : await findVersion(db, stackKey, from);
  const states = { before: before && (await bytesOf(objects, before)), after: await bytesOf(objects, to) };
  const compared = await compare(states).catch((error: unknown) => {
    throw new UnreadableStateError(error);
  });
  const shown = keysHider(await secretsOf(stack));
  const items = compared.items.map((item) => ({ ...item, address: shown(item.address) }));
  return { from: before?.id ?? null, to: to.id, ...compared, items };
}

async function bytesOf(objects: Pick<SealedObjects, "getSealed">, version: VersionRow): Promise<Uint8Array> {
  if (Number(version.size) > MAX_BYTES)
    throw new PayloadTooLargeError(MAX_BYTES, "Each of two states that are compared");
  const body = await objects.getSealed(version.object_key, statePlace(version.id), Number(version.size));
  if (body === null) throw new StorageUnavailableError(new Error(`state version ${version.id} has no object`));
  return buffer(body);
}
