/** Temporal's failures as the service sees them: it cannot be asked now, or the thing asked about is not there. */
import {
  isGrpcDeadlineError,
  isGrpcServiceError,
  ServiceError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from "@temporalio/client";
import { ApplicationFailure, NamespaceNotFoundError, WorkflowNotFoundError } from "@temporalio/common";

/** gRPC status codes by number, as far as they decide something here. */
const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;
const PERMISSION_DENIED = 7;
const FAILED_PRECONDITION = 9;
const RESOURCE_EXHAUSTED = 8;
const UNIMPLEMENTED = 12;

/** Temporal did not carry out the call, or no one can tell; trying again later is safe and sensible. */
export class TemporalUnavailable extends Error {
  override name = "TemporalUnavailable";
  /** What kept it: never an address, an argument or a payload. */
  readonly reason: "namespace" | "busy" | "deadline" | "handler" | "unreachable";
  constructor(reason: TemporalUnavailable["reason"], cause?: unknown) {
    super(`Temporal is unavailable: ${reason}`, { cause });
    this.reason = reason;
  }
}

/** Run a call of the SDK; `missing` answers for a workflow that is not open. @throws TemporalUnavailable otherwise. */
export async function translated<T, M>(call: () => Promise<T>, missing: () => M): Promise<T | M> {
  try {
    return await call();
  } catch (error) {
    if (isMissingWorkflow(error)) return missing();
    throw unavailable(error);
  }
}

export function unavailable(error: unknown): TemporalUnavailable {
  if (error instanceof TemporalUnavailable) return error;
  if (isMissingNamespace(error)) return new TemporalUnavailable("namespace", error);
  if (error instanceof WorkflowUpdateFailedError) {
    return new TemporalUnavailable(isUnprocessed(error) ? "busy" : "handler", error);
  }
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || isGrpcDeadlineError(error)) {
    return new TemporalUnavailable("deadline", error);
  }
  return new TemporalUnavailable(grpcCode(error) === RESOURCE_EXHAUSTED ? "busy" : "unreachable", error);
}

export function alreadyExists(error: unknown): boolean {
  return grpcCode(error) === ALREADY_EXISTS;
}

/** A managed cluster may keep namespaces and search attributes out of the hands of its clients. */
export function notOurs(error: unknown): boolean {
  const code = grpcCode(error);
  return code === PERMISSION_DENIED || code === UNIMPLEMENTED;
}

/** The server lost the Update on its way, as it does when it dropped the task that carried it; no handler saw it. */
function isUnprocessed(error: WorkflowUpdateFailedError): boolean {
  return error.cause instanceof ApplicationFailure && error.cause.type === "UnprocessedUpdate";
}

/** A missing namespace also answers "not found", and is a reason to try again, never the absence of a workflow. */
export function isMissingNamespace(error: unknown): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    if (e instanceof NamespaceNotFoundError) return true;
    if (isGrpcServiceError(e) && e.code === NOT_FOUND && /namespace/i.test(e.details)) return true;
    if (e instanceof WorkflowNotFoundError && /namespace/i.test(e.message)) return true;
  }
  return false;
}

/** A query found a workflow that has not had its first task yet. */
export function sleeps(error: unknown): boolean {
  return grpcCode(error) === FAILED_PRECONDITION;
}

function isMissingWorkflow(error: unknown): boolean {
  if (isMissingNamespace(error)) return false;
  return error instanceof WorkflowNotFoundError || grpcCode(error) === NOT_FOUND;
}

function grpcCode(error: unknown): number | undefined {
  const inner = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(inner) ? inner.code : undefined;
}
