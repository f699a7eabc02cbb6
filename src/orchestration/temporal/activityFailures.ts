/**
 * Reduces what an activity throws to class, code and an id before it enters a history: messages of database and git
 * errors carry parameters, URLs and with them secrets (docs/rules/workflows.md#errors-in-histories-are-reduced).
 */

import { CompleteAsyncError } from "@temporalio/activity";
import { ApplicationFailure, CancelledFailure } from "@temporalio/common";
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next } from "@temporalio/worker";
import { sqlState } from "../../platform/db/sqlState.ts";
import { isDatabaseOutage } from "../../platform/problems/databaseOutage.ts";

/** Told of each failure before it is reduced, with the activity's name; what it logs is its own business. */
export type FailureSeen = (activity: string, failure: ReducedFailure) => void;

export type ReducedFailure = {
  /** The error's class; `DatabaseUnavailable` for an outage. */
  type: string;
  /** SQLSTATE or a code of the driver or the system, when there is one. */
  code: string | null;
};

export function failureReducer(activity: string, seen: FailureSeen): ActivityInboundCallsInterceptor {
  return {
    async execute(input: ActivityExecuteInput, next: Next<ActivityInboundCallsInterceptor, "execute">) {
      try {
        return await next(input);
      } catch (error) {
        if (error instanceof CompleteAsyncError || error instanceof CancelledFailure) throw error;
        const failure = reduced(error);
        seen(activity, failure);
        throw asFailure(failure, idIn(input.args));
      }
    },
  };
}

function reduced(error: unknown): ReducedFailure {
  if (isDatabaseOutage(error)) return { type: "DatabaseUnavailable", code: codeOf(error) };
  if (!(error instanceof Error)) return { type: typeof error, code: null };
  // Drizzle wraps the driver's error in one whose message is the statement and its parameters.
  const inner = error.cause instanceof Error && sqlState(error) !== undefined ? error.cause : error;
  return { type: inner.constructor.name, code: codeOf(error) };
}

/** Every failure is retried: an outage ends, and what a fault in our code refused is right again after its repair. */
function asFailure({ type, code }: ReducedFailure, id: string | null): ApplicationFailure {
  const message = [type, code, id].filter((part) => part !== null).join(" ");
  const failure = ApplicationFailure.create({ message, type, nonRetryable: false });
  // The stack says where this interceptor is, never more.
  failure.stack = "";
  return failure;
}

function codeOf(error: unknown): string | null {
  for (let e = error, depth = 0; e instanceof Error && depth < 5; e = e.cause, depth++) {
    const { code } = e as { code?: unknown };
    if (typeof code === "string" && /^[A-Z0-9_]{3,40}$/.test(code)) return code;
  }
  return null;
}

function idIn(args: unknown[]): string | null {
  const [first] = args;
  return typeof first === "string" && /^[0-9a-f-]{36}$/.test(first) ? first : null;
}
