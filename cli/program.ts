/** The commands that there are. What one does is loaded when it is called, so that the others cost nothing. */
import { Command, Option } from "commander";
import { type Action, contextOf, type GlobalOptions } from "./context.ts";
import type { ExitCode } from "./exit/exitCodes.ts";

/** A command's action, in the module that is loaded for it. */
// biome-ignore lint/suspicious/noExplicitAny: each action has options of its own, which its command declares
type Load = () => Promise<Action<any>>;

export type Ended = { code: ExitCode | undefined };

/** @param words what stands behind `--`. @param ended is told what the command ends with */
export function programOf(words: readonly string[], ended: Ended): Command {
  const program = new Command("deploy");
  const act =
    (load: Load) =>
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
    .addHelpText("after", "\nMore: deploy help exit-codes");
  signingIn(program, act);
  stacks(program, act);
  beginning(program, act, words);
  deciding(program, act);
  reading(program, act);
  others(program, act);
  return program;
}

type Act = (load: Load) => (...given: unknown[]) => Promise<void>;

function signingIn(program: Command, act: Act): void {
  const load = () => import("./login/login.ts");
  program
    .command("login")
    .description("sign in, by a browser here or elsewhere")
    .option("--with-token", "read a token from stdin instead")
    .option("--no-browser", "only print the address")
    .action(act(async () => (await load()).login));
  program
    .command("logout")
    .description("sign out, and delete the token")
    .action(act(async () => (await load()).logout));
  program
    .command("whoami")
    .description("who is signed in, and where")
    .action(act(async () => (await load()).whoami));
  const profile = program.command("profile").description("several sign-ins");
  profile
    .command("list")
    .description("all of them")
    .action(act(async () => (await load()).listProfiles));
  profile
    .command("use <name>")
    .description("the one that is used when none is named")
    .action(act(async () => (await load()).useProfile));
  profile
    .command("rm <name>")
    .description("sign out of one")
    .action(
      act(async () => {
        const { logout } = await load();
        return (context, name) =>
          logout({ ...context, options: { ...context.options, ...(name !== undefined && { profile: name }) } });
      }),
    );
}

function stacks(program: Command, act: Act): void {
  const load = () => import("./stacks/stacks.ts");
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

function beginning(program: Command, act: Act, words: readonly string[]): void {
  const load = () => import("./deployments/begin.ts");
  addresses(watched(program.command("plan [stack]").description("what would change; nothing is applied from it")))
    .option("--commit <ref>", "of this commit, rather than of the branch")
    .option("--allow-foreign", "also a commit that is not on the branch; it gets no secrets")
    .option("--local [directory]", "of the files here, committed or not")
    .action(act(async () => (await load()).plan));
  applying(addresses(watched(program.command("up [stack]").description("plan, show the changes, ask, apply"))))
    .option("--commit <ref>", "of this commit, rather than of the branch")
    .action(act(async () => (await load()).up));
  applying(addresses(watched(program.command("destroy [stack]").description("the same, to destroy what there is"))))
    .option("--commit <ref>", "of this commit, rather than of the branch")
    .action(act(async () => (await load()).destroy));
  applying(watched(program.command("refresh [stack]").description("take over what was changed outside"))).action(
    act(async () => (await load()).refresh),
  );
  applying(watched(program.command("retry [deployment]").description("the same deployment once more"))).action(
    act(async () => (await load()).retry),
  );
  watched(
    program.command("run [stack]").description("a command in the stack's directory: run STACK -- COMMAND"),
  ).action(act(async () => (await load()).runCommand(words)));
}

function deciding(program: Command, act: Act): void {
  const load = () => import("./deployments/decisions.ts");
  watched(program.command("confirm [deployment]").description("show a plan that waits, and apply it"))
    .option("--plan <run-id>", "apply without asking, if this is still the plan")
    .action(act(async () => (await load()).confirm));
  addresses(watched(program.command("replan [deployment]").description("plan it anew"))).action(
    act(async () => (await load()).replan),
  );
  program
    .command("skip [deployment]")
    .description("do without it")
    .action(act(async () => (await load()).skip));
  program
    .command("cancel [deployment]")
    .description("stop it")
    .option("--force", "also while it does not answer")
    .action(act(async () => (await load()).cancel));
  watched(program.command("watch [deployment]").description("watch it until it is over, or waits for a person"))
    .option("--logs", "with its log; the default")
    .action(act(async () => (await load()).watch));
}

function reading(program: Command, act: Act): void {
  const load = () => import("./reading/read.ts");
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
  const lists = () => import("./deployments/lists.ts");
  program
    .command("ls")
    .description("deployments of all stacks")
    .option("--waiting-for <whom>", "those that wait for me, or for any person")
    .option("--status <list>", "in these states")
    .option("--label <key=value>", "of stacks with this label", collect)
    .option("--limit <n>", "at most so many, 1 to 200")
    .action(act(async () => (await lists()).ls));
  program
    .command("queue [stack]")
    .description("who holds the stack, and who waits for it")
    .action(act(async () => (await lists()).queue));
  const explore = () => import("./reading/explore.ts");
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

function others(program: Command, act: Act): void {
  program
    .command("open [deployment]")
    .description("its page in the browser")
    .option("--print", "only print the address")
    .action(act(async () => (await import("./stacks/stacks.ts")).openDeployment));
  program
    .command("api <method> <path>")
    .description("any call of the service")
    .option("--field <name=value>", "of the body: name=text or name:=json", collect)
    .option("--input <file>", "the body; - is stdin")
    .option("--header <name:value>", "one more header", collect)
    .option("--include", "with the status and headers of the answer")
    .action(act(async () => (await import("./service/rawCall.ts")).rawCall));
  program
    .command("completion <shell>")
    .description("for bash, zsh or fish")
    .action(
      act(async () => {
        const { complete } = await import("./completion/completion.ts");
        return async (_context, shell) => complete(shell, program);
      }),
    );
  program
    .command("help [command...]")
    .description("of a command, or exit-codes")
    .action(
      act(async () => {
        const { help } = await import("./completion/help.ts");
        return async (_context, ...words) => help(words.flat(), program);
      }),
    );
}

function watched(command: Command): Command {
  return command
    .option("--detach", "begin, and do not watch")
    .option("--quiet", "without the log")
    .option("--detailed-exitcode", "2 where there are changes, or a person has to confirm");
}

function applying(command: Command): Command {
  return command.option("--auto-approve [what]", "without asking: all, or non-destructive");
}

function addresses(command: Command): Command {
  return command
    .option("--target <address>", "only this, and what it depends on", collect)
    .option("--exclude <address>", "all but this", collect)
    .option("--replace <address>", "make this anew", collect);
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}
