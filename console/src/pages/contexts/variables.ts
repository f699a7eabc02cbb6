/** Variables as a form holds them. A secret whose value was not typed is sent without one, and stays. Pure. */
import type { operations } from "../../../../clients/api/schema.d.ts";
import type { Context } from "../../data/types.ts";

export type Body = operations["createContext"]["requestBody"]["content"]["application/json"];
/** @param isStored a secret whose value the service has */
export type Line = { name: string; value: string; secret: boolean; isStored: boolean };

export function linesOf(context: Context | null): Line[] {
  return (context?.variables ?? []).map(({ name, secret, value }) => ({
    ...{ name, secret, value: value ?? "", isStored: secret },
  }));
}

export function variablesOf(lines: readonly Line[]): Body["variables"] {
  return lines
    .filter(({ name }) => name.trim() !== "")
    .map(({ name, value, secret, isStored }) => ({
      ...{ name: name.trim(), secret },
      ...(!(secret && isStored && value === "") && { value }),
    }));
}
