/**
 * The changes of a plan as rows. A row keeps its line of JSON as text and reads it when it is looked at, so that many
 * thousands of them are there at once. Pure.
 */
import { moduleOf } from "../../../clients/plan/address.ts";
import type { PlanChange } from "../../../clients/plan/change.ts";
import { rankOf } from "../../../clients/plan/deeds.ts";
import { parseExact } from "../../../clients/plan/exactJson.ts";

export type Row = Pick<PlanChange, "kind" | "address" | "action" | "actions" | "type"> & {
  /** Place in the engine's order; the row's identity within its plan. */
  index: number;
  module: string;
  /** What a text filter looks at. */
  searched: string;
  /** Reads the whole change, again each time. */
  change(): PlanChange;
};

/** @throws SyntaxError for a line that is no JSON */
export function rowOf(line: string, index: number): Row {
  const read = JSON.parse(line) as PlanChange;
  const { kind, address, action, actions, type, previous_address } = read;
  return {
    index,
    kind,
    address,
    action,
    actions,
    type,
    module: kind === "output" ? "" : moduleOf(address),
    searched: `${address} ${previous_address ?? ""} ${type}`.toLowerCase(),
    change: () => parseExact(line) as PlanChange,
  };
}

/** What destroys comes first, then what replaces; within the same, the engine's order. */
export function byDanger(a: Row, b: Row): number {
  return rankOf(a) - rankOf(b) || a.index - b.index;
}
