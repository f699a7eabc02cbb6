/** Many callers at once, each doing something chosen at random: what meets in the database is found by meeting it. */
import { randomInt } from "node:crypto";
import { expect } from "vitest";
import type { Answer, Caller, PeopleApi } from "./peopleApi.ts";

/** One of what can be done, on something chosen at random. A thrown problem counts as its status, text as success. */
export type Act = (by: Caller) => Promise<Answer | unknown>;

export const one = <T>(all: readonly T[]): T => all[randomInt(all.length)]!;

/** The id of one of the rows, now and then of none. */
export async function idOf(rows: Promise<readonly Record<string, unknown>[]>): Promise<string> {
  return String(one([...(await rows), undefined])?.id ?? "none");
}

/**
 * Twelve at once. Each call is carried out or refused; none ends in an error of ours, and nearly all kinds succeed
 * sometimes.
 */
export async function storm(
  api: PeopleApi,
  people: readonly Caller[],
  acts: Record<string, Act>,
  calls: number,
): Promise<void> {
  const answered = new Map<string, Set<string>>(Object.keys(acts).map((name) => [name, new Set()]));
  const failed: string[] = [];
  const worker = async () => {
    for (let n = 0; n < calls / 12; n++) {
      const name = one(Object.keys(acts));
      const outcome = await outcomeOf(acts[name]!(one(people)));
      if (!(outcome.status < 500)) failed.push(`${name}: ${outcome.told}`);
      answered.get(name)!.add(String(outcome.status)[0]!);
    }
  };
  await Promise.all(Array.from({ length: 12 }, worker));
  const unforeseen = api.logged.filter(({ msg }) => msg === "a request failed unexpectedly");
  expect([failed, unforeseen.map(({ err }) => JSON.stringify(err))]).toEqual([[], []]);
  const never = [...answered].filter(([, statuses]) => !statuses.has("2")).map(([name]) => name);
  expect([never.length < Object.keys(acts).length * 0.2, never]).toEqual([true, never]);
}

async function outcomeOf(act: Promise<Answer | unknown>): Promise<{ status: number; told: string }> {
  try {
    const answer = await act;
    if (typeof answer === "string") return { status: 200, told: "" };
    return { status: (answer as Answer).status, told: (answer as Answer).text };
  } catch (error) {
    return { status: (error as { status?: number }).status ?? Number.NaN, told: String(error) };
  }
}
