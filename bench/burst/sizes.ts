/**
 * How much work comes at once, and what is looked at meanwhile. `BENCH_BURST_SHARE=0.1` takes a tenth of all of it, to
 * try it out in minutes; `BENCH_BURST_CLIENTS` says how many requests the busy organization has open at once.
 */
import { shareOf, sizeOf } from "../harness/sizes.ts";

const part = shareOf("BENCH_BURST_SHARE");

export const BURST = {
  creates: part(1_500),
  /** Of the burst that queues. */
  fewStacks: part(10),
  notifications: part(1_500),
  deletions: part(500),
  /** Deployments that wait in the queue of each stack that is deleted. */
  queuedBelow: 2,
  cancels: part(50),
  idsEach: 100,
  clients: sizeOf("BENCH_BURST_CLIENTS", 8),
};

export const WATCHED = {
  warmUp: part(60),
  /** Confirms of the other organization before each burst, and at most beside it. */
  alone: part(60),
  beside: part(200),
  confirmEveryMs: 300,
  deadlineEveryMs: 600,
  /** Leases that end in the same instant. */
  atOnce: 24,
};

/** Short, so that many of them pass beside a burst. */
export const LEASE_MS = 4_000;
export const QUEUED_MS = 4_000;
