/**
 * Activities that wait for other systems: an organization has no more of a queue's places than its share, however many
 * of its hosts hang (docs/rules/secrets.md#outbound-calls). The queue's fairness decides who comes next, and this how
 * many of one are in. What finds no place gives its own back at once, and the server offers it again when one should be
 * free: that is no try of the work, and no workflow hears of it.
 */
import { ApplicationFailure } from "@temporalio/common";
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next } from "@temporalio/worker";

/** Places by organization: come in, or be told in how many milliseconds to try again. */
export type Places = {
  enter(organization: string): { in: true; leave(): void } | { in: false; againMs: number };
};

/** @param organization the activity's fairness key; absent for what concerns none */
export function activityTurns(
  places: Places,
  organization: string | undefined,
): Pick<Required<ActivityInboundCallsInterceptor>, "execute"> {
  return {
    async execute(input: ActivityExecuteInput, next: Next<ActivityInboundCallsInterceptor, "execute">) {
      if (organization === undefined) return next(input);
      const entry = places.enter(organization);
      if (!entry.in) throw noPlace(entry.againMs);
      try {
        return await next(input);
      } finally {
        entry.leave();
      }
    },
  };
}

function noPlace(againMs: number): ApplicationFailure {
  const failure = ApplicationFailure.create({
    type: "NoPlace",
    message: "the organization's places are taken",
    nextRetryDelay: againMs,
    nonRetryable: false,
  });
  failure.stack = "";
  return failure;
}
