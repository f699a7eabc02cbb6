/** Commands about the state that the service keeps for a stack. */
import type { Command } from "commander";
import type { Act } from "./options.ts";

export function states(program: Command, act: Act): void {
  const state = program.command("state").description("the state that the service keeps for a stack");
  state
    .command("pull [stack]")
    .description("to stdout, as an engine wrote it")
    .option("--at <number>", "this version, rather than the newest")
    .option("--output <file>", "to a file that only you may read")
    .action(act(async () => (await import("../state/pull.ts")).pull));
  state
    .command("push [stack]")
    .description("a newer one, of the same lineage")
    .option("--input <file>", "the state; - is stdin")
    .action(act(async () => (await import("../state/push.ts")).push));
  state
    .command("versions [stack]")
    .description("all that were stored, newest first")
    .option("--limit <n>", "at most so many, 1 to 200")
    .action(act(async () => (await import("../state/versions.ts")).versions));
  state
    .command("rollback [stack]")
    .description("an older one as the newest; infrastructure is not touched")
    .option("--to <number>", "the version")
    .option("--reason <text>", "why, for the audit trail")
    .option("--yes", "without asking")
    .action(act(async () => (await import("../state/rollback.ts")).rollback));
}
