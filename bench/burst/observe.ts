/** What others see for a while: answers to confirms at a steady pace, and deadlines that act. */
import type { Deadlines, Late } from "./deadlines.ts";
import type { Answered, Neighbour } from "./neighbour.ts";
import { atPace } from "./pace.ts";
import { WATCHED } from "./sizes.ts";

export type Observed = { confirms: Answered[]; late: Late };
export type Others = { neighbour: Neighbour; deadlines: Deadlines };

/** @param most confirms, at most so many; the deadlines keep to the same time */
export async function observe({ neighbour, deadlines }: Others, most: number, stop: AbortSignal): Promise<Observed> {
  const confirms: Answered[] = [];
  const enough = new AbortController();
  const over = AbortSignal.any([stop, enough.signal]);
  const confirming = atPace({ everyMs: WATCHED.confirmEveryMs, most, stop: over }, async () => {
    confirms.push(await neighbour.confirm());
  });
  const everyMs = WATCHED.deadlineEveryMs;
  const pace = { everyMs, most: Math.ceil((most * WATCHED.confirmEveryMs) / everyMs), stop: over };
  const paces = [confirming, atPace(pace, deadlines.lease), atPace(pace, deadlines.queued)];
  for (const each of paces) each.catch(() => enough.abort());
  await Promise.all(paces);
  return { confirms, late: await deadlines.late() };
}
