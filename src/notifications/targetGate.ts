/**
 * How many requests may be in flight at once to one target and for one organization, in this process. A target that hangs holds
 * a few of the worker's places, never all; what finds no place is put off until one should be free, rather than waiting in one.
 */

export type Gate = {
  /** Come in, or be told in how many milliseconds to try again. */
  enter(target: string, org: string): Entry;
};
export type Entry = { in: true; leave(): void } | { in: false; againMs: number };

type Target = {
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
/** Targets remembered. */
const KNOWN = 10_000;

export function createGate({ perTarget, perOrg }: GateLimits, now: () => number = () => performance.now()): Gate {
  const targets = new Map<string, Target>();
  const orgs = new Map<string, number>();

  function putOff(target: Target): Entry {
    target.spokenUntil = Math.max(target.spokenUntil, now()) + target.takes / perTarget;
    const wait = Math.min(Math.max(target.spokenUntil - now(), SHORTEST_MS), LONGEST_MS);
    return { in: false, againMs: Math.round(wait) };
  }

  function left(target: Target, org: string, began: number): void {
    target.active--;
    target.takes = 0.7 * target.takes + 0.3 * (now() - began);
    const others = (orgs.get(org) ?? 1) - 1;
    if (others === 0) orgs.delete(org);
    else orgs.set(org, others);
  }

  /** How long a target takes is worth knowing at its next burst, too, so it is forgotten only for want of room. */
  function forgetIdle(): void {
    for (const [key, { active }] of targets) if (active === 0) targets.delete(key);
  }

  return {
    enter(key, org) {
      if (targets.size >= KNOWN) forgetIdle();
      const target = targets.get(key) ?? { active: 0, takes: FIRST_GUESS_MS, spokenUntil: 0 };
      targets.set(key, target);
      const inOrg = orgs.get(org) ?? 0;
      if (target.active >= perTarget || inOrg >= perOrg) return putOff(target);
      target.active++;
      orgs.set(org, inOrg + 1);
      const began = now();
      return { in: true, leave: () => left(target, org, began) };
    },
  };
}
