/** One call of the program, from its words to its exit code. */
import { CommanderError } from "commander";
import { ApiError } from "../clients/api/problem.ts";
import { EXIT, type ExitCode } from "./exit/exitCodes.ts";
import { Failure } from "./exit/failure.ts";
import { failureOf } from "./exit/ofProblem.ts";
import { type Ended, programOf } from "./program.ts";
import { causeOf } from "./service/persistentFetch.ts";
import { cleaned } from "./terminal/clean.ts";
import { version } from "./version.ts";

export async function main(argv: readonly string[]): Promise<void> {
  // A reader that has seen enough, such as `head`, is no failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    process.exit(error.code === "EPIPE" ? EXIT.done : EXIT.failed);
  });
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
    if (argv.includes("--version")) {
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
    return told(error, argv.includes("--json"));
  }
}

/** What went wrong, for people on stderr; with --json a line for programs on stdout too. */
function told(error: unknown, json: boolean): ExitCode {
  // Commander has written what it has to say.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  const { code, message, hint } = failureFor(error);
  if (json) {
    const problem = error instanceof ApiError ? { status: error.status, code: error.code } : {};
    process.stdout.write(`${JSON.stringify({ event: "error", message, exit_code: code, ...problem })}\n`);
  }
  process.stderr.write(`${cleaned(message)}\n${hint === undefined ? "" : `${cleaned(hint)}\n`}`);
  return code;
}

function failureFor(error: unknown): Failure {
  if (error instanceof Failure) return error;
  // What was waiting is told that it is over, and why.
  const { cause } = error as Error;
  if (cause instanceof Failure) return cause;
  if (error instanceof ApiError) return failureOf(error);
  if (error instanceof TypeError && error.message === "fetch failed") {
    return new Failure(EXIT.failed, `The service cannot be reached: ${causeOf(error).message}`);
  }
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== undefined && message !== undefined) return new Failure(EXIT.failed, message);
  return new Failure(EXIT.failed, `This is a bug: ${(error as Error)?.stack ?? String(error)}`);
}
