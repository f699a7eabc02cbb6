/** Commands that read. */
import type { Command } from "commander";
import { type Act, collect } from "./options.ts";

export function reading(program: Command, act: Act): void {
  const load = () => import("../reading/read.ts");
  program
    .command("changes [deployment]")
    .description("what its plan changes")
    .option("--text", "as the engine writes it")
    .action(act(async () => (await load()).changes));
  program
    .command("logs [deployment]")
    .description("its log")
    .option("--follow", "as it comes")
    .option("--stage <name>", "of one stage: plan, apply, ...")
    .action(act(async () => (await load()).logs));
  program
    .command("events [deployment]")
    .description("what happened to it, and who did it")
    .action(act(async () => (await load()).events));
  const ofStack = () => import("../reading/outputs.ts");
  program
    .command("output [name]")
    .description("an output of the stack, or all of them; what is sensitive only by its name with --raw or --json")
    .option("--raw", "a text, number or flag as it is, and nothing around it")
    .action(act(async () => (await ofStack()).output));
  program
    .command("outputs [stack]")
    .description("all outputs of a stack")
    .action(act(async () => (await ofStack()).outputs));
  const lists = () => import("../deployments/lists.ts");
  program
    .command("ls")
    .description("deployments of all stacks")
    .option("--waiting-for <whom>", "those that wait for me, for any person, or for approval")
    .option("--status <list>", "in these states")
    .option("--label <key=value>", "of stacks with this label", collect)
    .option("--limit <n>", "at most so many, 1 to 200")
    .action(act(async () => (await lists()).ls));
  program
    .command("queue [stack]")
    .description("who holds the stack, and who waits for it")
    .action(act(async () => (await lists()).queue));
  const explore = () => import("../reading/explore.ts");
  program
    .command("drift [stack]")
    .description("whether what runs still is what was applied")
    .option("--all", "what has drifted or could not be checked, over all stacks")
    .option("--check", "ask for a check now")
    .option("--limit <n>", "at most so many, 1 to 200")
    .action(act(async () => (await import("../stacks/drift.ts")).drift));
  program
    .command("code-hosts [name]")
    .description("how the code hosts answer, and what their webhooks lack")
    .option("--test", "ask the host of this one now")
    .option("--repository <url>", "with --test: for this repository, not one of a stack")
    .action(act(async () => (await import("../reading/codeHosts.ts")).codeHosts));
  program
    .command("graph [stack]")
    .description("what it depends on, and what depends on it")
    .action(act(async () => (await explore()).graph));
  program
    .command("resources [text]")
    .description("resources of all stacks")
    .option("--limit <n>", "at most so many, 1 to 200")
    .action(act(async () => (await explore()).resources));
}
