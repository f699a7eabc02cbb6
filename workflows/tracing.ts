/**
 * Hands the trace context on: from what started a workflow or reached it later to the activities that follow. The
 * headers are passed as they came, unread; nothing is awaited here, so that no command moves. Bundled always: without
 * headers it does nothing.
 *
 * What an Update's handler does belongs to the Update's trace. What the main function does belongs to the trace of the
 * newest message, be it the start, a signal or what wakes it, until a timer wakes it: then to none that is there.
 * Beside it goes the trace that began the workflow, for a link.
 */
import { AsyncLocalStorage, type Headers, type WorkflowInterceptorsFactory } from "@temporalio/workflow";
import { DEPLOYMENT_WAKES, LEASE_WAKES, TRACE_HEADERS } from "./contract.ts";

type Payload = Headers[string];

/** Updates that say no more than a signal does: what follows is what the main function does. */
const WAKES: ReadonlySet<string> = new Set([...DEPLOYMENT_WAKES, ...LEASE_WAKES]);

export const interceptors: WorkflowInterceptorsFactory = () => {
  const { cause: CAUSE, origin: ORIGIN } = TRACE_HEADERS;
  const ofUpdate = new AsyncLocalStorage<Payload>();
  let origin: Payload | undefined;
  let newest: Payload | undefined;

  const handedOn = <I extends { readonly headers: Headers }>(input: I): I => {
    const cause = ofUpdate.getStore() ?? newest;
    if (cause === undefined && origin === undefined) return input;
    const headers = { ...input.headers };
    if (cause !== undefined) headers[CAUSE] = cause;
    if (origin !== undefined) headers[ORIGIN] = origin;
    return { ...input, headers };
  };

  return {
    inbound: [
      {
        execute(input, next) {
          origin = input.headers[ORIGIN] ?? input.headers[CAUSE];
          // A signal may have come before.
          newest ??= input.headers[CAUSE];
          return next(input);
        },
        handleSignal(input, next) {
          newest = input.headers[CAUSE] ?? newest;
          return next(input);
        },
        handleUpdate(input, next) {
          const cause = input.headers[CAUSE];
          if (WAKES.has(input.name)) newest = cause ?? newest;
          return cause === undefined ? next(input) : ofUpdate.run(cause, () => next(input));
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(handedOn(input)),
        scheduleLocalActivity: (input, next) => next(handedOn(input)),
        startChildWorkflowExecution: (input, next) => next(handedOn(input)),
        signalWorkflow: (input, next) => next(handedOn(input)),
        continueAsNew: (input, next) => next(handedOn(input)),
        startTimer(input, next) {
          const fired = next(input);
          // Listened to and given back as it is, so that nobody who awaits it comes later than without this.
          fired.then(
            () => {
              newest = undefined;
            },
            () => {},
          );
          return fired;
        },
      },
    ],
  };
};
