/** What a setting is. */
import type * as v from "valibot";

/** One setting: its environment variable, what it is for, how its text is read, and a valid example. */
export interface Setting<T> {
  name: string;
  what: string;
  unit: string;
  example: string;
  schema: v.GenericSchema<string, T>;
  /**
   * Text taken when the variable is unset; `null` means required; `undefined` means optional, and absent when unset.
   */
  fallback: string | null | undefined;
  /** Its text must never be shown, also not in the message that refuses it. */
  secret: boolean;
}

type Describe = { what: string; unit: string; example: string; secret?: boolean };

export function required<T>(name: string, schema: v.GenericSchema<string, T>, about: Describe): Setting<T> {
  return { name, schema, fallback: null, secret: false, ...about };
}

export function optional<T>(name: string, schema: v.GenericSchema<string, T>, about: Describe): Setting<T | undefined> {
  return { name, schema, fallback: undefined, secret: false, ...about };
}

export function withDefault<T>(
  name: string,
  schema: v.GenericSchema<string, T>,
  fallback: string,
  about: Omit<Describe, "example"> & { example?: string },
): Setting<T> {
  return { name, schema, fallback, example: fallback, secret: false, ...about };
}

/** For the operator's manual: what holds while the variable is unset. */
export function defaultText({ fallback }: Setting<unknown>): string {
  if (fallback === null) return "required";
  return fallback === undefined || fallback === "" ? "none" : fallback;
}

/** A setting is missing or malformed. The message is one line that names it and shows a valid value. */
export class ConfigError extends Error {
  override name = "ConfigError";
}
