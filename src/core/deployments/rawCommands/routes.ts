/** `POST .../deployments/run-command` (docs/rules/deployments.md#raw-commands). Needs (stack, run_command). */
import type { Hono } from "hono";
import { type AppEnv, endpoint } from "../../../http/endpoint.ts";
import type { Keyring } from "../../../platform/crypto/keyring.ts";
import type { Service } from "../../../work/service.ts";
import { authorizeStack } from "../../stacks/authorizeStack.ts";
import { stackScope } from "../../stacks/requestScope.ts";
import { RunCommandBody } from "../fields.ts";
import type { HeadOf } from "../head.ts";
import { DeploymentResource } from "../resourceSchema.ts";
import { runCommand } from "./runCommand.ts";

export function rawCommandRoutes(app: Hono<AppEnv>, service: Service, headOf: HeadOf, keyring: Keyring): void {
  endpoint(
    app,
    "post",
    "/api/v1/orgs/:org_id/stacks/:stack_id/deployments/run-command",
    {
      id: "runCommand",
      tag: "deployments",
      summary: "Run a script in the stack's directory at the branch's head; it queues when the stack is busy",
      description:
        "Needs (stack, run_command), and break_glass where a rule of approvals or a mandatory policy is about the stack. The script is kept encrypted and shown to nobody; its output is the run's log. Takes Idempotency-Key.",
      body: RunCommandBody,
      answer: DeploymentResource,
      status: 201,
      problems: [404, 409, 502, 503],
    },
    async ({ principal, params, body, c }) => {
      const stack = await authorizeStack(service.db, principal, params.org_id, params.stack_id, "run_command");
      const { script, break_glass: breakGlass } = await body();
      if (breakGlass !== undefined)
        await authorizeStack(service.db, principal, params.org_id, params.stack_id, "break_glass");
      const idempotency = stackScope(c, principal, stack.stackKey, { script, ...(breakGlass && { breakGlass }) });
      return runCommand(service, headOf, keyring, { principal, stack, script, breakGlass, idempotency });
    },
  );
}
