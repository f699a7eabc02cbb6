/**
 * Activities that wait for other systems: an organization has no more of a queue's places than its share, however many
 * of its hosts hang (docs/rules/secrets.md#outbound-calls). The queue's fairness decides who comes next, and this how
 * many of one are in. What finds no place gives its own back at once, and the server offers it again a moment later:
 * that is no try of the work, and no workflow hears of it.
 */
import { ApplicationFailure } from "@temporalio/common";
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next } from "@temporalio/worker";
import { grown, spread } from "../../platform/time/pause.ts";

/** An offer costs some milliseconds, so who waits long is offered a place less often. */
const AGAIN_MS = { first: 300, factor: 1.6, longest: 8_000 };

/** At most so many activities of one organization at once, in one worker of one queue. */
export class ActivityPlaces {
  readonly #most: number;
  readonly #inside = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** @returns whether there was one; who came in leaves */
  enter(organization: string): boolean {
    const inside = this.#inside.get(organization) ?? 0;
    if (inside >= this.#most) return false;
    this.#inside.set(organization, inside + 1);
    return true;
  }

  leave(organization: string): void {
    const inside = (this.#inside.get(organization) ?? 0) - 1;
    if (inside > 0) this.#inside.set(organization, inside);
    else this.#inside.delete(organization);
  }
}

/** @param organization the activity's fairness key; absent for what concerns none */
export function activityTurns(
  places: ActivityPlaces,
  { organization, attempt }: { organization: string | undefined; attempt: number },
): Pick<Required<ActivityInboundCallsInterceptor>, "execute"> {
  return {
    async execute(input: ActivityExecuteInput, next: Next<ActivityInboundCallsInterceptor, "execute">) {
      if (organization === undefined) return next(input);
      if (!places.enter(organization)) throw noPlace(attempt);
      try {
        return await next(input);
      } finally {
        places.leave(organization);
      }
    },
  };
}

function noPlace(attempt: number): ApplicationFailure {
  const failure = ApplicationFailure.create({
    type: "NoPlace",
    message: "the organization's places are taken",
    nextRetryDelay: Math.round(spread(grown(AGAIN_MS, attempt), [0.7, 1.3], Math.random())),
    nonRetryable: false,
  });
  failure.stack = "";
  return failure;
}
