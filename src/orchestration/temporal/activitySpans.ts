/**
 * A span around each activity, as a part of the trace that caused it. Ids and names only: neither arguments nor results
 * nor errors' texts.
 */
import { type Attributes, context, SpanKind, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";
import type { Info } from "@temporalio/activity";
import type { ActivityInboundCallsInterceptor } from "@temporalio/worker";
import { parseWorkflowId } from "../../../workflows/ids.ts";
import { activeWith, contextOf } from "../../platform/telemetry/traceContext.ts";
import { traceparentIn } from "./traceHeaders.ts";

/** What a workflow's id says about its row. */
const ID_OF: Partial<Record<string, string>> = {
  deployment: "svc.deployment.id",
  cascade: "svc.deployment.id",
  lease: "svc.run.id",
};

/** To stand outside of the interceptor that reduces failures, whose class is all that is kept of them. */
export function activitySpans(tracer: Tracer, info: Info): ActivityInboundCallsInterceptor {
  return {
    async execute(input, next) {
      const parent = contextOf(traceparentIn(input.headers, "cause"));
      const span = tracer.startSpan(
        `RunActivity:${info.activityType}`,
        { kind: SpanKind.CONSUMER, attributes: attributesOf(info), links: linksOf(input.headers, parent) },
        parent,
      );
      try {
        return await context.with(activeWith(tracer, trace.setSpan(parent, span)), () => next(input));
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR });
        span.setAttribute("error.type", typeOf(error));
        throw error;
      } finally {
        span.end();
      }
    },
  };
}

type Input = Parameters<NonNullable<ActivityInboundCallsInterceptor["execute"]>>[0];

/** To the trace that began the workflow, when a later message or a timer caused this. */
function linksOf(headers: Input["headers"], parent: ReturnType<typeof contextOf>) {
  const origin = trace.getSpanContext(contextOf(traceparentIn(headers, "origin")));
  const isOther = origin !== undefined && origin.traceId !== trace.getSpanContext(parent)?.traceId;
  return isOther ? [{ context: origin }] : [];
}

function attributesOf({ activityType, attempt, isLocal, workflowExecution, workflowType }: Info): Attributes {
  const attributes: Attributes = {
    "temporal.activity.type": activityType,
    "temporal.activity.attempt": attempt,
    "temporal.activity.local": isLocal,
  };
  if (workflowType !== undefined) attributes["temporal.workflow.type"] = workflowType;
  if (workflowExecution === undefined) return attributes;
  attributes["temporal.workflow.id"] = workflowExecution.workflowId;
  const row = parseWorkflowId(workflowExecution.workflowId);
  const name = row === null ? undefined : ID_OF[row.kind];
  if (row !== null && name !== undefined) attributes[name] = row.rowId;
  return attributes;
}

function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { type } = error as { type?: unknown };
  return typeof type === "string" ? type : error.name;
}
