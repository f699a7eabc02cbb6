/** The commands that there are. What one does is loaded when it is called, so that the others cost nothing. */
import { Command, Option } from "commander";
import { signingIn } from "./commands/account.ts";
import { beginning } from "./commands/begin.ts";
import { deciding } from "./commands/decide.ts";
import { notifying } from "./commands/notify.ts";
import type { Act } from "./commands/options.ts";
import { others } from "./commands/others.ts";
import { policies } from "./commands/policies.ts";
import { reading } from "./commands/read.ts";
import { schedules } from "./commands/schedules.ts";
import { stacks } from "./commands/stack.ts";
import { states } from "./commands/state.ts";
import { contextOf, type GlobalOptions } from "./context.ts";
import type { ExitCode } from "./exit/exitCodes.ts";

export type Ended = { code: ExitCode | undefined };

/** @param words what stands behind `--`. @param ended is told what the command ends with */
export function programOf(words: readonly string[], ended: Ended): Command {
  const program = new Command("deploy");
  const act: Act =
    (load) =>
    async (...given: unknown[]): Promise<void> => {
      const command = given.at(-1) as Command;
      const args = given.slice(0, -2) as string[];
      const action = await load();
      ended.code = await action(contextOf(command.optsWithGlobals<GlobalOptions>()), ...args);
    };
  program
    .description("Plan, confirm and watch deployments of Terraform and OpenTofu")
    .usage("COMMAND [OPTIONS]")
    .option("--host <url>", "the service; DEPLOY_HOST")
    .option("--org <name>", "the organization, by name or id; DEPLOY_ORG")
    .option("--profile <name>", "a sign-in of several; DEPLOY_PROFILE")
    .option("--stack <id>", "the stack; DEPLOY_STACK, .deploy.json, or the repository here")
    .option("--json", "one JSON object, or one event a line, and nothing else on stdout")
    .option("--timeout <time>", "watch no longer than this, such as 30m; ends with 124")
    .addOption(
      new Option("--on-interrupt <what>", "what Ctrl-C or a signal does to what is watched, unasked").choices([
        "cancel",
        "leave",
      ]),
    )
    .version("", "--version", "the version of this program")
    .helpCommand(false)
    // Inherited: every command says that it takes --json, --timeout and the rest.
    .configureHelp({ showGlobalOptions: true })
    .addHelpText("after", "\nMore: deploy help exit-codes");
  signingIn(program, act);
  stacks(program, act);
  beginning(program, act, words);
  deciding(program, act);
  reading(program, act);
  states(program, act);
  notifying(program, act);
  policies(program, act);
  schedules(program, act, words);
  others(program, act);
  return program;
}
