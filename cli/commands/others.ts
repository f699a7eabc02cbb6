/** Commands about the program itself, and any call by hand. */
import { Argument, type Command } from "commander";
import { type Act, collect } from "./options.ts";

export function others(program: Command, act: Act): void {
  program
    .command("open [deployment]")
    .description("its page in the browser")
    .option("--print", "only print the address")
    .action(act(async () => (await import("../stacks/stacks.ts")).openDeployment));
  program
    .command("api <method> <path>")
    .description("any call of the service")
    .option("--field <name=value>", "of the body: name=text or name:=json", collect)
    .option("--input <file>", "the body; - is stdin")
    .option("--header <name:value>", "one more header", collect)
    .option("--include", "with the status and headers of the answer")
    .action(act(async () => (await import("../service/rawCall.ts")).rawCall));
  program
    .command("completion")
    .addArgument(new Argument("<shell>").choices(["bash", "zsh", "fish"]))
    .description("for a shell: source <(deploy completion bash)")
    .action(
      act(async () => {
        const { complete } = await import("../completion/completion.ts");
        return async (_context, shell) => complete(shell, program);
      }),
    );
  program
    .command("help [command...]")
    .description("of a command, or exit-codes")
    .action(
      act(async () => {
        const { help } = await import("../completion/help.ts");
        return async (_context, ...words) => help(words.flat(), program);
      }),
    );
}
