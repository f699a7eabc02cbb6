/** One call of the program, from its words to its exit code. */
import { type Command, CommanderError } from "commander";
import { ApiError } from "../clients/api/problem.ts";
import { EXIT, type ExitCode } from "./exit/exitCodes.ts";
import { Failure } from "./exit/failure.ts";
import { failureOf } from "./exit/ofProblem.ts";
import { type Ended, programOf } from "./program.ts";
import { isUnreachable, unreachable } from "./service/unreachable.ts";
import { cleaned } from "./terminal/clean.ts";
import { exitWithoutReader } from "./terminal/readerGone.ts";
import { version } from "./version.ts";

export async function main(argv: readonly string[]): Promise<void> {
  exitWithoutReader();
  // npm goes to the folder of its package; the person stands elsewhere.
  const { npm_lifecycle_event, INIT_CWD } = process.env;
  if (npm_lifecycle_event === "deploy" && INIT_CWD !== undefined) process.chdir(INIT_CWD);
  process.exitCode = await call(argv);
}

async function call(argv: readonly string[]): Promise<ExitCode> {
  const split = argv.indexOf("--");
  const [before, words] = split === -1 ? [argv, []] : [argv.slice(0, split), argv.slice(split + 1)];
  const ended: Ended = { code: undefined };
  const program = programOf(words, ended);
  for (const command of [program, ...program.commands.flatMap((one) => [one, ...one.commands])]) command.exitOverride();
  try {
    if (before.includes("--version")) {
      process.stdout.write(`${version()}\n`);
      return EXIT.done;
    }
    if (before.length === 0) {
      process.stdout.write(program.helpInformation());
      return EXIT.usage;
    }
    await program.parseAsync(before, { from: "user" });
    return ended.code ?? EXIT.done;
  } catch (error) {
    return report(error, before.includes("--json"), `See: deploy help${commandIn(before, program)}`);
  }
}

/** What went wrong, for people on stderr; with --json a line for programs on stdout too. */
function report(error: unknown, json: boolean, seeHelp: string): ExitCode {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT.done;
    // Commander has written what it has to say.
    if (json) writeError(error.message.replace(/^error: /, ""), EXIT.usage, { hint: seeHelp });
    process.stderr.write(`${seeHelp}\n`);
    return EXIT.usage;
  }
  const { code, message, hint } = failureFor(error);
  const problem = error instanceof ApiError ? { status: error.status, code: error.code } : {};
  if (json) writeError(message, code, { hint: hint ?? seeHelp, ...problem });
  process.stderr.write(`${cleaned(message)}\n${cleaned(hint ?? seeHelp)}\n`);
  return code;
}

function writeError(message: string, exit_code: ExitCode, more: object): void {
  process.stdout.write(`${JSON.stringify({ event: "error", message, exit_code, ...more })}\n`);
}

function failureFor(error: unknown): Failure {
  if (error instanceof Failure) return error;
  // What was waiting is told that it is over, and why.
  const { cause } = error as Error;
  if (cause instanceof Failure) return cause;
  if (error instanceof ApiError) return failureOf(error, process.env);
  if (isUnreachable(error)) return unreachable(error);
  const { code, message, path } = error as NodeJS.ErrnoException;
  if (code !== undefined && message !== undefined) {
    const what = path === undefined ? "the program" : path;
    return Failure.of(EXIT.failed, message, `See what this machine lets you do with ${what}, and do it once more`);
  }
  const bug = `This is a bug of deploy ${version()}: ${(error as Error)?.stack ?? String(error)}`;
  return Failure.of(EXIT.failed, bug, "Report it, with what is said above; deploy ls shows what was begun");
}

/** The words of what was called that name a command, each after a blank. */
function commandIn(argv: readonly string[], program: Command): string {
  let [found, words] = [program, ""];
  for (const word of argv) {
    const inner = found.commands.find((one) => one.name() === word);
    if (inner !== undefined) [found, words] = [inner, `${words} ${word}`];
  }
  return words;
}
