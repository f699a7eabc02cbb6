/**
 * How many requests may be in flight at once to one target and for one organization, in this process. A target that
 * hangs holds a few of the worker's places, never all; what finds no place is put off until one should be free, rather
 * than waiting in one.
 */

export type Gate = {
  /** Come in, or be told in how many milliseconds to try again. */
  enter(target: string, org: string): Entry;
};
export type Entry = { in: true; leave(): void } | { in: false; againMs: number };

/** A target, or an organization with all of its targets. */
type Side = {
  active: number;
  /** How long a request takes, in milliseconds, as seen lately. */
  takes: number;
  /** Places are spoken for until then. */
  spokenUntil: number;
};

export type GateLimits = { perTarget: number; perOrg: number };

/** Before the first answer of a target. */
const FIRST_GUESS_MS = 1_000;
/** A second look costs more than the request itself, so it is not taken sooner. */
const SHORTEST_MS = 500;
const LONGEST_MS = 600_000;
/** Targets, and organizations, that are remembered. */
const KNOWN = 10_000;

export function createGate({ perTarget, perOrg }: GateLimits, now: () => number = () => performance.now()): Gate {
  const targets = new Map<string, Side>();
  const orgs = new Map<string, Side>();

  /**
   * By what is full: many targets of one organization share its places, so each waits for a turn among all of them. To
   * look again as soon as its own target could take it would keep everybody's workers busy with looking.
   */
  function putOff(side: Side, places: number): Entry {
    side.spokenUntil = Math.max(side.spokenUntil, now()) + side.takes / places;
    const wait = Math.min(Math.max(side.spokenUntil - now(), SHORTEST_MS), LONGEST_MS);
    return { in: false, againMs: Math.round(wait) };
  }

  return {
    enter(key, orgId) {
      const target = sideOf(targets, key);
      const org = sideOf(orgs, orgId);
      if (target.active >= perTarget) return putOff(target, perTarget);
      if (org.active >= perOrg) return putOff(org, perOrg);
      target.active++;
      org.active++;
      const began = now();
      return {
        in: true,
        leave: () => {
          for (const side of [target, org]) {
            side.active--;
            side.takes = 0.7 * side.takes + 0.3 * (now() - began);
          }
        },
      };
    },
  };
}

/**
 * How long one takes is worth knowing at its next burst, too, so it is forgotten only for want of room. One with
 * requests in flight never is, since its places would be given away twice; a cache would push it out like any other.
 */
function sideOf(sides: Map<string, Side>, key: string): Side {
  const known = sides.get(key);
  if (known !== undefined) return known;
  if (sides.size >= KNOWN) {
    for (const [other, { active }] of sides) if (active === 0) sides.delete(other);
  }
  const side = { active: 0, takes: FIRST_GUESS_MS, spokenUntil: 0 };
  sides.set(key, side);
  return side;
}
