import type { Command } from "commander";
import { EXIT, type ExitCode, exitCodesText } from "../exit/exitCodes.ts";
import { usage } from "../exit/failure.ts";

/** @throws Failure: usage for words that lead to no command */
export function help(words: readonly string[], program: Command): ExitCode {
  if (words[0] === "exit-codes") {
    process.stdout.write(exitCodesText());
    return EXIT.done;
  }
  let command = program;
  for (const word of words) {
    const inner = command.commands.find((one) => one.name() === word);
    if (inner === undefined) throw usage(`There is no command ${words.join(" ")}.`);
    command = inner;
  }
  process.stdout.write(command.helpInformation());
  return EXIT.done;
}
