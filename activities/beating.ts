/** A heartbeat for as long as an activity works: when its worker dies, another one is given the work soon. */
import { heartbeat } from "@temporalio/activity";

/** A quarter of the heartbeat timeout in `workflows/activityOptions.ts`. */
const BEAT_MS = 5_000;

/** @param everyMs well below the heartbeat timeout that the workflow sets */
export async function beating<T>(work: () => Promise<T>, everyMs = BEAT_MS): Promise<T> {
  const timer = setInterval(() => heartbeat(), everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
