import { useEffect, useState } from "react";
import { changesAfter, relative, span } from "./instants.ts";

const ABSOLUTE = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });

/** How long ago, and the whole instant in the tip. Kept right while it is on screen. */
export function Time({ at }: { at: string }) {
  const instant = Date.parse(at);
  const now = useNow((from) => changesAfter(instant, from));
  return (
    <time dateTime={at} title={ABSOLUTE.format(instant)}>
      {relative(instant, now)}
    </time>
  );
}

/** The whole instant. */
export function Instant({ at }: { at: string }) {
  return <time dateTime={at}>{ABSOLUTE.format(Date.parse(at))}</time>;
}

/** How long something took, or has taken so far. */
export function Duration({ from, to }: { from: string; to?: string | null | undefined }) {
  const now = useNow(() => (to ? null : 1_000));
  return <span>{span((to ? Date.parse(to) : now) - Date.parse(from))}</span>;
}

/** @param next in how many milliseconds to look again; null for never */
function useNow(next: (now: number) => number | null): number {
  const [now, setNow] = useState(Date.now);
  const after = next(now);
  useEffect(() => {
    if (after === null) return;
    const timer = setInterval(() => setNow(Date.now()), after);
    return () => clearInterval(timer);
  }, [after]);
  return now;
}
