/** Leases that end in the same instant, where the only worker has just started and has done nothing yet. */
import type { Deadlines } from "./deadlines.ts";
import { WATCHED } from "./sizes.ts";
import type { World } from "./world.ts";

/** @returns milliseconds late, of each lease */
export async function onFreshWorker({ workers }: World, deadlines: Deadlines): Promise<number[]> {
  const [first, ...others] = workers;
  await Promise.all(workers.map((worker) => worker.stop()));
  await first?.start();
  await deadlines.leasesAtOnce(WATCHED.atOnce);
  const { lease } = await deadlines.late();
  await Promise.all(others.map((worker) => worker.start()));
  return lease;
}
