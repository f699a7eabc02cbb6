/** What is to be done about a stack whose lifetime is looked at (docs/schedules.md#stacks-for-a-while). Pure. */
import type { LifetimePhase } from "./schema.ts";

export type LifetimeFacts = {
  phase: LifetimePhase;
  /** All in milliseconds since 1970. */
  now: number;
  expiresAt: number;
  remindMs: number;
  reminded: boolean;
  held: boolean;
  /** Whether anything may be left that was applied on the stack. */
  leftover: boolean;
  /** How the destroy stands that was begun for it; null: there is none. */
  destroy: { status: string; error: string | null } | null;
};

export type LifetimeStep =
  | { kind: "remind" }
  | { kind: "destroy" }
  | { kind: "delete" }
  | { kind: "putOff"; why: "held" }
  | { kind: "fail"; error: string }
  /** Null: until a deployment ends, or somebody does something. */
  | { kind: "wait"; until: number | null };

const LIVE = ["queued", "pending", "planning", "waiting", "applying", "requested_cancellation", "cancelling"];

export function decideLifetime(facts: LifetimeFacts): LifetimeStep {
  if (facts.phase === "alive") return whileAlive(facts);
  if (facts.destroy !== null && LIVE.includes(facts.destroy.status)) return { kind: "wait", until: null };
  // Also where a person destroyed what the service could not.
  if (!facts.leftover) return { kind: "delete" };
  if (facts.phase === "failed") return { kind: "wait", until: null };
  return { kind: "fail", error: failureOf(facts.destroy) };
}

function whileAlive({ now, expiresAt, remindMs, reminded, held, leftover }: LifetimeFacts): LifetimeStep {
  const remindAt = expiresAt - remindMs;
  if (now < expiresAt) {
    if (reminded) return { kind: "wait", until: expiresAt };
    return now < remindAt ? { kind: "wait", until: remindAt } : { kind: "remind" };
  }
  if (held) return { kind: "putOff", why: "held" };
  return { kind: leftover ? "destroy" : "delete" };
}

function failureOf(destroy: LifetimeFacts["destroy"]): string {
  if (destroy === null) return "The destroy is not known any more.";
  if (destroy.status === "finished") return "Something was applied after the destroy.";
  return destroy.error ?? `The destroy was ${destroy.status}.`;
}
