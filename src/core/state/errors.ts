/** How a hosted state refuses. */
import { type ProblemCode, ProblemError } from "../../platform/problems/problem.ts";
import type { LockDocument } from "./lockDocument.ts";

/** What is sent cannot follow the state as it is; nothing was stored. */
export class StateConflictError extends ProblemError {
  constructor(code: Extract<ProblemCode, `state_${string}`>, detail: string) {
    super({ status: 409, code, detail });
  }
}

/**
 * Missing and not allowed alike. An engine takes 404 for a state that was never written and plans everything anew, so
 * what engines call says 403 (docs/state.md#what-an-engine-is-answered).
 */
export class StateForbiddenError extends ProblemError {
  constructor() {
    super({ status: 403, code: "forbidden", detail: "There is no such stack, or its state is not yours to open." });
  }
}

/** The stack says that its state is kept elsewhere. */
export class StateElsewhereError extends ProblemError {
  constructor() {
    const detail = "The stack's state_mode is own: its state is not kept here. Set it to auto or hosted first.";
    super({ status: 409, code: "state_elsewhere", detail });
  }
}

/** An engine is to be shown the lock of another one: its answer is 423 with the document as it was sent. */
export class StateLockedError extends ProblemError {
  readonly lock: LockDocument;

  constructor(lock: LockDocument) {
    const detail = `The state is locked by ${lock.Who || "somebody"} for ${lock.Operation || "something"} since ${lock.Created || "a while"}.`;
    super({ status: 409, code: "state_locked", detail });
    this.lock = lock;
  }
}
