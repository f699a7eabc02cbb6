/** A span for each call to Temporal that a traced request or activity makes, and its context in the call's header. */
import { type Attributes, context, SpanKind, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";
import type { WorkflowClientInterceptor } from "@temporalio/client";
import { type Headers, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from "@temporalio/common";
import { traceparentOf } from "../../platform/telemetry/traceContext.ts";
import { withCause } from "./traceHeaders.ts";

type Call = { name: string; kind: SpanKind; workflowId: string | undefined; type?: string };

/** What is done outside of any span, such as upkeep, begins no trace. */
export function clientSpans(tracer: Tracer): WorkflowClientInterceptor {
  async function traced<I extends { readonly headers: Headers }, O>(
    { name, kind, workflowId, type }: Call,
    input: I,
    next: (input: I) => Promise<O>,
  ): Promise<O> {
    const active = context.active();
    if (trace.getSpan(active) === undefined) return next(input);
    const attributes: Attributes = { "rpc.system.name": "temporal" };
    if (workflowId !== undefined) attributes["temporal.workflow.id"] = workflowId;
    if (type !== undefined) attributes["temporal.workflow.type"] = type;
    const span = tracer.startSpan(name, { kind, attributes }, active);
    const own = trace.setSpan(active, span);
    try {
      return await context.with(own, () => next({ ...input, headers: withCause(input.headers, traceparentOf(own)) }));
    } catch (error) {
      if (!isAnswer(error)) span.setStatus({ code: SpanStatusCode.ERROR });
      span.setAttribute("error.type", error instanceof Error ? error.name : typeof error);
      throw error;
    } finally {
      span.end();
    }
  }

  const { CLIENT, PRODUCER } = SpanKind;
  return {
    startWithDetails(input, next) {
      const { workflowType: type, options } = input;
      return traced(
        { name: `StartWorkflow:${type}`, kind: PRODUCER, workflowId: options.workflowId, type },
        input,
        next,
      );
    },
    signalWithStart(input, next) {
      const { workflowType: type, options, signalName } = input;
      const name = `SignalWithStartWorkflow:${signalName}`;
      return traced({ name, kind: PRODUCER, workflowId: options.workflowId, type }, input, next);
    },
    signal(input, next) {
      const { workflowId } = input.workflowExecution;
      return traced({ name: `SignalWorkflow:${input.signalName}`, kind: PRODUCER, workflowId }, input, next);
    },
    startUpdate(input, next) {
      const { workflowId } = input.workflowExecution;
      return traced({ name: `UpdateWorkflow:${input.updateName}`, kind: CLIENT, workflowId }, input, next);
    },
    query(input, next) {
      const { workflowId } = input.workflowExecution;
      return traced({ name: `QueryWorkflow:${input.queryType}`, kind: CLIENT, workflowId }, input, next);
    },
  };
}

/** Already open, and not open any more: both are answers we act on. */
function isAnswer(error: unknown): boolean {
  return error instanceof WorkflowExecutionAlreadyStartedError || error instanceof WorkflowNotFoundError;
}
