/** Commands about stacks. */
import type { Command } from "commander";
import { type Act, collect } from "./options.ts";

export function stacks(program: Command, act: Act): void {
  const load = () => import("../stacks/stacks.ts");
  program
    .command("stacks")
    .description("list stacks")
    .option("--search <text>", "text that the name contains")
    .option("--label <key=value>", "label that they have; several must all fit", collect)
    .option("--limit <n>", "at most so many, 1 to 200")
    .action(act(async () => (await load()).list));
  const stack = program.command("stack").description("one stack");
  stack
    .command("show [stack]")
    .description("its settings")
    .action(act(async () => (await load()).show));
  stack
    .command("create <name>")
    .description("a new one, of a directory of a repository")
    .option("--repository <url>", "where the repository is")
    .option("--branch <name>", "main, unless said")
    .option("--directory <path>", "of the repository; its root, unless said")
    .option("--tool <name>", "terraform or tofu")
    .option("--auto-approve <mode>", "manual, auto or non_destructive")
    .option("--label <key=value>", "a label, as often as needed", collect)
    .action(act(async () => (await load()).create));
  stack
    .command("hold [stack]")
    .description("let nothing begin there")
    .option("--reason <text>", "why, for whoever meets it")
    .action(act(async () => (await load()).hold));
  stack
    .command("release [stack]")
    .description("let it go on")
    .action(act(async () => (await load()).release));
  stack
    .command("open [stack]")
    .description("its page in the browser")
    .option("--print", "only print the address")
    .action(act(async () => (await load()).openStack));
}
