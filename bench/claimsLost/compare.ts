/** What became of each run, against what its runners did with their claims. Pure. */
import { LEASE_MS, SILENCE_MS } from "./sizes.ts";

/**
 * What a runner does with its claim. `silent`: it says nothing. `ready`: it says that it is ready, and no more.
 * `answer_lost`: its accept is taken, and then it dies. `repeated`: so that it asks again.
 */
export const LOST_FATES = ["silent", "ready", "answer_lost", "repeated"] as const;
export type Fate = (typeof LOST_FATES)[number] | "done";

/** By run, in the order of its claims. */
export type Witnessed = ReadonlyMap<string, readonly Fate[]>;

export type RunRow = { id: string; status: string; attempts: number };

type Expected = { status: string; attempts: number };

/** @param maxAttempts lapses after which a run has failed */
export function expectedOf(fates: readonly Fate[], maxAttempts: number): Expected {
  const attempts = fates.filter((fate) => fate === "silent" || fate === "ready").length;
  const last = fates.at(-1);
  if (last === "done") return { status: "success", attempts };
  if (last === "answer_lost" || last === "repeated") return { status: "failure", attempts };
  return { status: attempts >= maxAttempts ? "startup_timeout" : "pending", attempts };
}

/** One line for each run that is not as its claims made it. */
export function compare(rows: readonly RunRow[], seen: Witnessed, maxAttempts: number) {
  const attempts: string[] = [];
  const ends: string[] = [];
  const again: string[] = [];
  for (const { id, status, attempts: counted } of rows) {
    const fates = seen.get(id) ?? [];
    const expected = expectedOf(fates, maxAttempts);
    if (counted !== expected.attempts) attempts.push(`run ${id}: ${counted} attempts, claims: ${fates.join(", ")}`);
    if (status !== expected.status) ends.push(`run ${id} is ${status}, claims: ${fates.join(", ")}`);
    // Whoever has it for good is never asked to share it.
    const kept = fates.findIndex((fate) => fate !== "silent" && fate !== "ready");
    if (kept !== -1 && kept < fates.length - 1) again.push(`run ${id} was claimed again, claims: ${fates.join(", ")}`);
  }
  const known = new Set(rows.map(({ id }) => id));
  const lost = [...seen.keys()].filter((id) => !known.has(id)).map((id) => `run ${id} was claimed and is gone`);
  return { attempts, ends, again, lost };
}

/** Milliseconds from a deadline to its effect. */
export type Late = { lease: number[]; silence: number[] };

/** From moments: of each lapse from the claim to the return or end, of each silence from the accept to the end. */
export function latenessOf(spans: readonly { what: "lease" | "silence"; ms: number }[]): Late {
  const of = (what: "lease" | "silence", limit: number) =>
    spans.filter((span) => span.what === what).map(({ ms }) => ms - limit);
  return { lease: of("lease", LEASE_MS), silence: of("silence", SILENCE_MS) };
}
