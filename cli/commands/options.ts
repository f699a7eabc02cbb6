/** Options that several commands have. */
import { type Command, Option } from "commander";
import type { Action } from "../context.ts";

/** A command's action, in the module that is loaded for it. */
// biome-ignore lint/suspicious/noExplicitAny: each action has options of its own, which its command declares
type Load = () => Promise<Action<any>>;
/** What commander calls for a command. */
export type Act = (load: Load) => (...given: unknown[]) => Promise<void>;

export function watched(command: Command): Command {
  return command
    .option("--detach", "begin, and do not watch")
    .option("--quiet", "without the log")
    .option("--detailed-exitcode", "2 where there are changes, or a person has to confirm");
}

export function applying(command: Command): Command {
  const what = new Option("--auto-approve [what]", "without asking: all, or what is non-destructive");
  return command.addOption(what.choices(["all", "non-destructive"]));
}

export function addresses(command: Command): Command {
  return command
    .option("--target <address>", "only this, and what it depends on", collect)
    .option("--exclude <address>", "all but this", collect)
    .option("--replace <address>", "make this anew", collect);
}

export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}
