/** How a deployment refuses. One class per failure. */
import { ProblemError } from "../../platform/problems/problem.ts";

/** The action does not fit the deployment's present status; nothing was changed. */
export class InvalidTransitionError extends ProblemError {
  constructor(action: string, status: string) {
    super({
      status: 409,
      code: "invalid_transition",
      detail: `A deployment that is ${status} cannot be answered with ${action}.`,
    });
  }
}

/** Another plan than the one the person saw is waiting now. */
export class PlanChangedError extends ProblemError {
  constructor() {
    super({ status: 409, code: "plan_changed", detail: "Another plan is waiting now; look at it before you confirm." });
  }
}

/** A reason to go without approvals is kept for when there is something to go without. */
export class NothingToBreakError extends ProblemError {
  constructor() {
    super({
      status: 409,
      code: "invalid_transition",
      detail: "Nothing keeps it from being done any more: leave break_glass out.",
    });
  }
}

/** Nobody approves their own change. */
export class OwnChangeError extends ProblemError {
  constructor() {
    super({
      status: 409,
      code: "own_change",
      detail:
        "You made or wrote this change, or planned it again, yourself or by an account of which you have minted a token: somebody else has to approve it.",
    });
  }
}

/** A forced cancel ends what an ordinary cancel has already asked to stop, and nothing else. */
export class CancelFirstError extends ProblemError {
  constructor() {
    super({
      status: 409,
      code: "invalid_transition",
      detail: "Cancel first; force only ends a cancellation that the runner does not answer.",
    });
  }
}

/** The stack's code comes from elsewhere now than when its host was asked. */
export class SourceMovedError extends ProblemError {
  constructor() {
    super({
      status: 409,
      code: "conflict",
      detail: "The stack's repository or branch was changed while its code host was asked. Try again.",
    });
  }
}

/** The stack was deleted while the deployment was being created. */
export class StackGoneError extends ProblemError {
  constructor() {
    super({ status: 404, code: "not_found", detail: "There is no such resource, or you may not see it." });
  }
}
