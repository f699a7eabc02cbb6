/**
 * A context's variables: what a request may say, how values are kept, and what comes back
 * (docs/access.md#contexts-and-protected-labels).
 */
import * as v from "valibot";
import type { Place } from "../../platform/crypto/envelope.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";

/** In bytes of UTF-8: an engine gets its variables through exec, which refuses one of 128 KiB. */
const MAX_VALUE_BYTES = 32_768;
const MAX_VARIABLES = 200;

/** `value` may be absent for a secret that is kept as it is. */
export const VariablesField = v.pipe(
  v.array(
    v.strictObject({
      name: v.pipe(
        v.string(),
        v.regex(
          /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
          "must be 1 to 128 letters, digits or '_', not beginning with a digit",
        ),
      ),
      value: v.optional(
        v.pipe(
          v.string(),
          v.check((text) => Buffer.byteLength(text) <= MAX_VALUE_BYTES, `may have at most ${MAX_VALUE_BYTES} bytes`),
        ),
      ),
      secret: v.optional(v.boolean(), false),
    }),
  ),
  v.maxLength(MAX_VARIABLES),
  v.check((list) => new Set(list.map(({ name }) => name)).size === list.length, "names must differ"),
);
export type VariableInput = v.InferOutput<typeof VariablesField>[number];

/** As stored: plain text or an envelope, never both. */
export type StoredVariable = { name: string } & (
  | { secret: false; value: string; sealed: null }
  | { secret: true; value: null; sealed: Buffer }
);

/** What is to be written: a whole variable, or the secret that is there already. */
export type VariableWrite = StoredVariable | { name: string; secret: true; value: null; sealed: "kept" };

/**
 * Encrypt the secrets of a request for the rows of this context.
 * @throws InvalidValueError for a plain variable without a value
 */
export async function sealVariables(
  keyring: Keyring,
  contextId: string,
  inputs: readonly VariableInput[],
): Promise<VariableWrite[]> {
  const missing = inputs.flatMap(({ secret, value }, i) => (secret || value !== undefined ? [] : [i]));
  if (missing.length > 0) throw valueRequired(missing);
  return Promise.all(
    inputs.map(async ({ name, value, secret }): Promise<VariableWrite> => {
      if (!secret) return { name, secret, value: value ?? "", sealed: null };
      if (value === undefined) return { name, secret, value: null, sealed: "kept" };
      return {
        name,
        secret,
        value: null,
        sealed: await keyring.seal(Buffer.from(value, "utf8"), place(contextId, name)),
      };
    }),
  );
}

/** Fill in the secrets that are kept. @throws InvalidValueError when there is none to keep */
export function keepSecrets(writes: readonly VariableWrite[], stored: readonly StoredVariable[]): StoredVariable[] {
  const kept = writes.map((write) => {
    if (write.sealed !== "kept") return write;
    return stored.find(({ name, secret }) => secret && name === write.name) ?? null;
  });
  const missing = kept.flatMap((variable, i) => (variable === null ? [i] : []));
  if (missing.length > 0) throw valueRequired(missing);
  return kept as StoredVariable[];
}

/** @throws DecryptionError */
export async function openVariable(keyring: Keyring, contextId: string, variable: StoredVariable): Promise<string> {
  if (!variable.secret) return variable.value;
  return (await keyring.open(variable.sealed, place(contextId, variable.name))).toString("utf8");
}

function valueRequired(indexes: readonly number[]): InvalidValueError {
  return new InvalidValueError(indexes.map((i) => ({ field: `variables.${i}.value`, message: "is required" })));
}

function place(contextId: string, name: string): Place {
  return { table: "context_variables", column: "sealed", rowId: `${contextId}/${name}` };
}
