import type { DoneBody } from "../../src/core/runs/protocol.ts";
import type { Outcome } from "./outcome.ts";

/** Longest texts that the service takes. They are cut here, after masking: nobody finds a secret that was cut. */
const LONGEST = new Map([
  ["error", 4_000],
  ["message", 4_000],
  ["author", 300],
  ["gaps", 500],
  ["warnings", 500],
]);

/** What `done` sends: of each text in it, also of one that comes to it later, what a log would show. */
export function maskedBody({ status, ...outcome }: Outcome, mask: (text: string) => string): DoneBody {
  return { status, ...(masked(outcome, mask, "") as Omit<DoneBody, "status">) };
}

function masked(value: unknown, mask: (text: string) => string, name: string): unknown {
  if (typeof value === "string") return mask(value).slice(0, LONGEST.get(name));
  if (Array.isArray(value)) return value.map((item) => masked(item, mask, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, masked(item, mask, key)]));
}
