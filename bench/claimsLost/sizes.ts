/** How much is claimed, and time limits that make it pass in minutes. `BENCH_CLAIMS_LOST_SHARE=0.05` takes a part. */
import { shareOf, sizeOf } from "../harness/sizes.ts";

const part = shareOf("BENCH_CLAIMS_LOST_SHARE");

/** With one claim of five lost, 8,000 deployments make some 10,000 claims. */
export const DEPLOYMENTS = part(8_000);
export const STACKS = part(400);
export const RUNNERS = sizeOf("BENCH_CLAIMS_LOST_RUNNERS", 16);
export const LOST = 0.2;
export const LEASE_MS = 4_000;
export const SILENCE_MS = 8_000;
/** Few, so that some runs use them up. */
export const ATTEMPTS = 3;
