/** Secrets that changed between plan and apply: the plan's are used, and nobody reads either of them. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import type { RunContext } from "../../src/core/runs/protocol.ts";
import {
  applyContext,
  commitFiles,
  RunnerProcess,
  removeTemporaryDirectories,
  runContext,
  temporaryDirectory,
} from "../support/runnerProcess.ts";
import { ScriptedService } from "../support/scriptedService.ts";

const OLD = `old-${crypto.randomUUID()}`;
const NEW = `new-${crypto.randomUUID()}`;

afterAll(removeTemporaryDirectories);

test("the apply's log, outputs and error show neither the plan's secret nor today's", async () => {
  const service = await new ScriptedService().start();
  const runner = new RunnerProcess(service);
  try {
    const world = temporaryDirectory("world");
    writeFileSync(path.join(world, "today"), `${NEW}\n`);
    const source = commitFiles({
      "main.tf": `
terraform {
  backend "local" { path = "${world}/terraform.tfstate" }
}
variable "token" { type = string }
resource "terraform_data" "shown" { input = var.token }
resource "terraform_data" "program" {
  provisioner "local-exec" { command = "echo given: ${"$"}{var.token}; cat ${world}/today" }
}
resource "terraform_data" "fails" {
  depends_on = [terraform_data.program, terraform_data.shown]
  provisioner "local-exec" { command = "echo ${"$"}{var.token}; cat ${world}/today; exit 3" }
}
output "token" { value = terraform_data.shown.output }
`,
    });
    const plan = service.offer(
      runContext(source, "plan_run", (context) => {
        context.environment = [{ name: "TF_VAR_token", value: OLD, secret: true }];
      }),
    );
    await service.until(() => plan.done !== null);
    expect(plan.done, plan.log).toMatchObject({ status: "success" });
    const apply = service.offer(
      applyContext(plan, (context: RunContext) => {
        context.changed_since_plan = [
          { name: "TF_VAR_other", secret_now: null },
          { name: "TF_VAR_token", secret_now: NEW },
        ];
      }),
    );
    await service.until(() => apply.done !== null);
    expect(apply.done).toMatchObject({ status: "failure", error: expect.stringContaining("exit status 3") });
    expect(apply.log).toContain("given: ***");
    expect(apply.log).toContain(
      "Changed in contexts since the plan, which is applied with what it was made with: TF_VAR_other, TF_VAR_token",
    );
    for (const value of [OLD, NEW]) expect(`${apply.log}${JSON.stringify(apply.done)}`).not.toContain(value);
  } finally {
    await runner.stop("SIGTERM");
    await service.stop();
  }
});
