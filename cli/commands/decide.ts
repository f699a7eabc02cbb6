/** Commands that go on with a deployment. */
import type { Command } from "commander";
import { type Act, addresses, watched } from "./options.ts";

export function deciding(program: Command, act: Act): void {
  const load = () => import("../deployments/decisions.ts");
  watched(program.command("confirm [deployment]").description("show a plan that waits, and apply it"))
    .option("--plan <run-id>", "apply without asking, if this is still the plan")
    .option("--break-glass <reason>", "without the approvals that it lacks")
    .action(act(async () => (await load()).confirm));
  addresses(watched(program.command("replan [deployment]").description("plan it anew"))).action(
    act(async () => (await load()).replan),
  );
  program
    .command("skip [deployment]")
    .description("do without it")
    .action(act(async () => (await load()).skip));
  program
    .command("cancel [deployment]")
    .description("stop it")
    .option("--force", "also while it does not answer")
    .action(act(async () => (await load()).cancel));
  const approvals = () => import("../deployments/approvals.ts");
  program
    .command("approvals [deployment]")
    .description("which approvals its plan needs, who gave them and who could")
    .action(act(async () => (await approvals()).approvals));
  program
    .command("review [deployment]")
    .description("approve or reject its plan")
    .option("--approve", "it may be applied")
    .option("--reject", "it may not")
    .option("--comment <text>", "why")
    .option("--plan <run-id>", "the plan that was seen")
    .action(act(async () => (await approvals()).review));
  watched(program.command("watch [deployment]").description("watch it until it is over, or waits for a person"))
    .option("--logs", "with its log; the default")
    .action(act(async () => (await load()).watch));
}
