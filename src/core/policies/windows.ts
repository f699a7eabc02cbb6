/** Whether it is an hour at which plans may be applied, and until when that stays so. Pure. */
import { WEEKDAYS, type Weekday, type Windows } from "./rules.ts";

const MINUTE = 60_000;
/** As far ahead as the next change is looked for; who asks then asks again. */
const HORIZON_MS = 8 * 24 * 60 * MINUTE;

export type Standing = {
  /** Why nothing may be applied; null: it may. */
  closed: string | null;
  /** When the answer may become another. */
  until: Date | null;
};

export function standingAt(windows: Windows, at: Date): Standing {
  const closed = closedAt(windows, at);
  return { closed, until: nextChange(windows, at, closed) };
}

function closedAt({ time_zone, open, closed }: Windows, at: Date): string | null {
  const freeze = closed.find(({ from, to }) => Date.parse(from) <= at.getTime() && at.getTime() < Date.parse(to));
  if (freeze) return `${freeze.reason} (until ${freeze.to})`;
  if (open.length === 0) return null;
  const { day, clock } = localTime(time_zone, at);
  if (open.some(({ days, from, to }) => days.includes(day) && from <= clock && clock < to)) return null;
  return `It is ${day} ${clock} in ${time_zone}, outside of the hours at which plans are applied.`;
}

/** Looked for step by step, so that a change of the clocks is seen too. */
function nextChange(windows: Windows, at: Date, now: string | null): Date | null {
  const instants = windows.closed
    .flatMap(({ from, to }) => [Date.parse(from), Date.parse(to)])
    .filter((time) => time > at.getTime());
  const end = at.getTime() + HORIZON_MS;
  const steps = windows.open.length > 0 ? stepsFrom(windows, at.getTime(), end) : [];
  const near = [...instants.filter((time) => time <= end), ...steps].sort((a, b) => a - b);
  const flips = (time: number) => (closedAt(windows, new Date(time)) === null) !== (now === null);
  const next = near.find(flips) ?? Math.min(...instants.filter((time) => time > end));
  return Number.isFinite(next) ? new Date(next) : null;
}

/** Minutes at which an opening can begin or end: every quarter of an hour where all of them do. */
function stepsFrom({ open }: Windows, from: number, to: number): number[] {
  const quarterly = open.every((opening) =>
    [opening.from, opening.to].every((clock) => Number(clock.slice(3)) % 15 === 0),
  );
  const step = quarterly ? 15 * MINUTE : MINUTE;
  const first = (Math.floor(from / step) + 1) * step;
  return Array.from({ length: Math.floor((to - first) / step) + 1 }, (_, i) => first + i * step);
}

const FORMATS = new Map<string, Intl.DateTimeFormat>();

function localTime(timeZone: string, at: Date): { day: Weekday; clock: string } {
  let format = FORMATS.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-GB", {
      timeZone,
      weekday: "short",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    });
    FORMATS.set(timeZone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const day = WEEKDAYS.find((name) => name === parts.weekday?.slice(0, 3).toLowerCase()) ?? "mon";
  return { day, clock: `${parts.hour}:${parts.minute}` };
}
