/**
 * What the audit trail says about a context: names and selectors, never a value, since plain ones may be confidential
 * too.
 */
import { changedKeys } from "../labels/protectedKeys.ts";
import type { Context } from "./answer.ts";
import type { StoredVariable } from "./variables.ts";

type Variable = { name: string; secret: boolean };

const named = (variables: readonly Variable[]) => variables.map(({ name, secret }) => ({ name, secret }));

/** Of a context that came or went. */
export function contextDetails({ name, selector, variables }: Context): Record<string, unknown> {
  return { name, selector, variables: named(variables) };
}

/** Of a replaced context, with the names of variables that have another value; null when nothing differs. */
export function contextChanges(
  before: Pick<Context, "name" | "selector">,
  after: Pick<Context, "name" | "selector">,
  stored: readonly StoredVariable[],
  written: readonly StoredVariable[],
): Record<string, unknown> | null {
  const had = new Map(stored.map((variable) => [variable.name, variable]));
  const has = new Map(written.map((variable) => [variable.name, variable]));
  const added = named(written.filter(({ name }) => !had.has(name)));
  const removed = named(stored.filter(({ name }) => !has.has(name)));
  const replaced = named(
    written.filter((variable) => had.has(variable.name) && differs(had.get(variable.name)!, variable)),
  );
  const selector = changedKeys(before.selector, after.selector).length > 0;
  const settings = {
    ...(before.name === after.name ? {} : { name: { before: before.name, after: after.name } }),
    ...(selector ? { selector: { before: before.selector, after: after.selector } } : {}),
  };
  if (Object.keys(settings).length + added.length + removed.length + replaced.length === 0) return null;
  return { context: before.name, ...settings, variables: { added, removed, replaced } };
}

/** A secret that was given again counts as another one: an envelope never repeats. */
function differs(a: StoredVariable, b: StoredVariable): boolean {
  if (a.secret !== b.secret || a.value !== b.value) return true;
  return a.sealed !== null && b.sealed !== null && !a.sealed.equals(b.sealed);
}
