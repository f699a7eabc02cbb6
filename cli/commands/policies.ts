/** Commands about what an organization allows its plans to do. */
import type { Command } from "commander";
import { type Act, collect } from "./options.ts";

export function policies(program: Command, act: Act): void {
  const manage = () => import("../policies/manage.ts");
  const decide = () => import("../policies/decide.ts");
  const group = program.command("policies").description("what the organization allows its plans to do");
  group
    .command("list", { isDefault: true })
    .description("all policies")
    .option("--limit <n>", "at most so many, 1 to 200")
    .action(act(async () => (await manage()).list));
  group
    .command("create <name>")
    .description("a new one, which says nothing before it has a version that counts")
    .option("--enforcement <how>", "shadow, unless said; advisory or mandatory")
    .option("--label <key=value>", "label that a stack must have", collect)
    .action(act(async () => (await manage()).create));
  group
    .command("push <name> <file>")
    .description("a new version: rules (.json), Rego (.rego), or a bundle of opa build (.tar.gz)")
    .option("--activate", "it counts from now on")
    .action(act(async () => (await manage()).push));
  group
    .command("test <name> <deployment>")
    .description("what a version would say of a deployment's plan; nothing is stored")
    .option("--at <version>", "this version, rather than the newest")
    .action(act(async () => (await manage()).test));
  group
    .command("set <name>")
    .description("which version counts, and how much")
    .option("--at <version>", "this version counts; none: no version does")
    .option("--enforcement <how>", "shadow, advisory or mandatory")
    .action(act(async () => (await manage()).set));
  group
    .command("said [deployment]")
    .description("what policies said of its plan, and who overrode it")
    .action(act(async () => (await decide()).said));
  group
    .command("evaluate [deployment]")
    .description("let them look at the plan that waits once more")
    .action(act(async () => (await decide()).evaluate));
  group
    .command("override [deployment]")
    .description("let the plan that waits be applied although policies deny it")
    .option("--reason <text>", "why, for the audit trail and for those who are notified")
    .action(act(async () => (await decide()).override));
}
