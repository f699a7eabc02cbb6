/** What differs between two states, counted. Pure. */
import type { StateChanges } from "../../data/types.ts";

type Item = StateChanges["items"][number];

export function countsOf(items: readonly Pick<Item, "action">[]): Record<Item["action"], number> {
  const counts = { add: 0, change: 0, destroy: 0 };
  for (const { action } of items) counts[action]++;
  return counts;
}
