/** Commands about what comes by itself. */
import type { Command } from "commander";
import { type Act, collect } from "./options.ts";

const ORGANIZATION = "one of the organization, which is about all stacks of some labels";

export function schedules(program: Command, act: Act, words: readonly string[]): void {
  const load = () => import("../stacks/schedules.ts");
  const command = program
    .command("schedules [stack]")
    .description("deployments and commands that come by themselves")
    .option("--all", "over all stacks")
    .option("--limit <n>", "at most so many, 1 to 200")
    .action(act(async () => (await load()).list));
  command
    .command("add <name>")
    .description("a new one; what stands behind -- is a command")
    .option("--mode <mode>", "plan, refresh or destroy")
    .option("--cron <fields>", "minute, hour, day of month, month, day of week")
    .option("--time-zone <name>", "of the cron fields; UTC, unless said")
    .option("--at <time>", "once, such as 2026-12-01T18:00:00Z")
    .option("--label <key=value>", "of every stack that has the label, rather than of one", collect)
    .action(act(async () => (await load()).add(words)));
  command
    .command("pause <name>")
    .description("let it not come")
    .option("--organization", ORGANIZATION)
    .action(act(async () => (await load()).pause));
  command
    .command("resume <name>")
    .description("let it come again")
    .option("--organization", ORGANIZATION)
    .action(act(async () => (await load()).resume));
  command
    .command("remove <name>")
    .description("for good; what it has made goes on")
    .option("--organization", ORGANIZATION)
    .action(act(async () => (await load()).remove));
  const lifetime = () => import("../stacks/lifetime.ts");
  program
    .command("lifetime [stack]")
    .description("when the stack ends by itself")
    .action(act(async () => (await lifetime()).show));
  program
    .command("prolong [stack]")
    .description("let it live longer")
    .option("--by <duration>", "such as P7D, from its end")
    .option("--until <time>", "such as 2026-12-01T18:00:00Z")
    .option("--reason <text>", "why, for whoever is reminded")
    .action(act(async () => (await lifetime()).prolong));
}
