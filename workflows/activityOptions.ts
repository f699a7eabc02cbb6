/** How long and how often an activity is tried, said once for every workflow. */

/** For an outage of our own: tried again for as long as it takes, and soon after it is over. */
export const UNTIL_IT_WORKS = { initialInterval: 500, backoffCoefficient: 2, maximumInterval: 15_000 } as const;

/**
 * For work that other systems may hold up. It heartbeats, so that a killed worker's work is taken up soon; the
 * activities beat at a quarter of that timeout.
 */
export const SLOW_WORK = {
  startToCloseTimeout: "10 minutes",
  heartbeatTimeout: "20 seconds",
  retry: UNTIL_IT_WORKS,
} as const;
