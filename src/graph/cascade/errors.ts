/** How the button of a dependent refuses. */
import { ProblemError } from "../../platform/problems/problem.ts";

/** One deployment for each dependent of an apply: it has been made. */
export class AlreadyTriggeredError extends ProblemError {
  constructor() {
    super({
      status: 409,
      code: "already_triggered",
      detail: "The dependent was given its deployment for this apply already.",
    });
  }
}

/** Somebody declared that this dependency never triggers. */
export class NeverTriggeredError extends ProblemError {
  constructor() {
    super({
      status: 409,
      code: "trigger_never",
      detail: "The dependency is declared with trigger never, so it cannot be deployed from here.",
    });
  }
}
