/** Lengths of time as people write and read them. Pure. */
const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `30m`, `1h30m`, `PT30M` or seconds, in milliseconds; null for anything else. */
export function parseDuration(text: string): number | null {
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const parts = text.toLowerCase().replace(/^p(?:(\d+d)?t)?/, "$1");
  if (!/^(\d+[smhd])+$/.test(parts)) return null;
  return [...parts.matchAll(/(\d+)([smhd])/g)].reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit!]!, 0);
}

/** `0.4 s`, `12 s`, `3 min 05 s`, `2 h 07 min`, `3 d`. */
export function shownDuration(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${two(Math.floor(seconds % 60))} s`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
  return `${Math.floor(minutes / 1_440)} d`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
