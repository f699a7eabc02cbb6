/** A report of the dependency graph's findings as receivers see it. A false flag means that the count is unknown. */
export type FindingsReport = {
  cycles: number;
  orphans: number;
  duplicates: number;
  cycles_complete: boolean;
  orphans_complete: boolean;
};

/** The report in an event's data, without whatever else it holds; null for data that is none. */
export function findingsIn(value: unknown): FindingsReport | null {
  if (typeof value !== "object" || value === null) return null;
  const { cycles, orphans, duplicates, cycles_complete, orphans_complete } = value as Partial<FindingsReport>;
  if (typeof cycles !== "number" || typeof orphans !== "number" || typeof duplicates !== "number") return null;
  return {
    cycles,
    orphans,
    duplicates,
    cycles_complete: cycles_complete === true,
    orphans_complete: orphans_complete === true,
  };
}
