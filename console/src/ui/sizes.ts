/** Sizes as people say them. Pure. */
const UNITS = ["B", "KiB", "MiB", "GiB"] as const;

/** `512 B`, `1.4 KiB`, `31 MiB`. */
export function sizeText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const count = bytes / 1024 ** power;
  return `${power > 0 && count < 10 ? count.toFixed(1) : Math.round(count)} ${UNITS[power]}`;
}
