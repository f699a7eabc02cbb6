/** Instants and spans as people say them. Pure. */

const UNITS = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
] as const;

/** `3 min ago`, `in 2 h`, `now`. */
export function relative(at: number, now: number): string {
  const seconds = Math.round((now - at) / 1_000);
  if (Math.abs(seconds) < 10) return "now";
  const text = span(Math.abs(seconds) * 1_000, 1);
  return seconds > 0 ? `${text} ago` : `in ${text}`;
}

/** The largest units of a span: `1 h 4 min`, `41 s`, `0.3 s`. */
export function span(ms: number, parts = 2): string {
  if (ms < 10_000) return `${Number((Math.max(0, ms) / 1_000).toFixed(1))} s`;
  let rest = Math.round(ms / 1_000);
  const said: string[] = [];
  for (const [unit, seconds] of UNITS) {
    if (rest < seconds && said.length === 0) continue;
    const count = Math.floor(rest / seconds);
    if (count > 0) said.push(`${count} ${unit}`);
    rest -= count * seconds;
    if (said.length >= parts) return said.slice(0, parts).join(" ");
  }
  if (rest > 0 && said.length < parts) said.push(`${rest} s`);
  return said.join(" ");
}

/** How long until the words of `relative` change. */
export function changesAfter(at: number, now: number): number {
  const age = Math.abs(now - at);
  if (age < 60_000) return 10_000;
  return age < 3_600_000 ? 30_000 : 600_000;
}
