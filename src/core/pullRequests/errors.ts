/** How pull requests refuse. One class per failure. */
import { ProblemError } from "../../platform/problems/problem.ts";
import type { PrCondition } from "../stacks/schema.ts";

/** The stack wants more of a pull request before it is promoted. */
export class RequirementsNotMetError extends ProblemError {
  constructor(missing: readonly { condition: PrCondition; reason: string | null }[]) {
    const named = missing.map(({ condition, reason }) => (reason === null ? condition : `${condition} (${reason})`));
    super({
      status: 409,
      code: "requirements_not_met",
      detail: `The stack's requirements for promotion are not met: ${named.join(", ")}.`,
    });
  }
}

/** What would be promoted has not been seen: the preview of the present head has not finished. */
export class PreviewNotFinishedError extends ProblemError {
  constructor() {
    super({
      status: 409,
      code: "preview_not_finished",
      detail: "The preview of the pull request's present head has not finished on this stack.",
    });
  }
}

/** The stack has been given this commit, or one that holds it, already. */
export class AlreadyDeployedError extends ProblemError {
  constructor() {
    super({ status: 409, code: "conflict", detail: "The stack is at this commit already, or past it." });
  }
}

/** The stack's commit went another way: the plan of the head would take back what the head lacks of it. */
export class BaseDivergedError extends ProblemError {
  constructor() {
    super({
      status: 409,
      code: "base_diverged",
      detail:
        "The stack's commit changes files of its directory that the pull request's head lacks, so the plan would take them back. " +
        "Bring the request up to date with its base, or send force=true.",
    });
  }
}

/** Whether the head would take something back is not known. */
export class BaseUnknownError extends ProblemError {
  constructor() {
    super({
      status: 409,
      code: "base_unknown",
      detail:
        "The code host cannot compare the pull request's head with the stack's commit, so what its plan would take back is not " +
        "known. Send force=true to promote it all the same.",
    });
  }
}

/** Stack or pull request changed each time the host had answered. */
export class StillMovingError extends ProblemError {
  constructor() {
    super({
      status: 409,
      code: "conflict",
      detail: "The stack or the pull request was changed while the code host was asked. Try again.",
    });
  }
}

/** No integration matches the stack's repository, so that there is nobody to ask about its pull requests. */
export class NoIntegrationError extends ProblemError {
  constructor() {
    super({
      status: 409,
      code: "conflict",
      detail: "No source control integration matches the stack's repository.",
    });
  }
}
