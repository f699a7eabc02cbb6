/** Completion for shells, made from the commands that there are. Pure. */
import type { Command } from "commander";
import { EXIT, type ExitCode } from "../exit/exitCodes.ts";
import { usage } from "../exit/failure.ts";

type Word = { words: string[]; options: string[]; text: string; values: readonly string[] };

/** Every command with the words that lead to it, and the options that it takes. */
function wordsOf(program: Command): Word[] {
  const all: Word[] = [];
  const walk = (command: Command, words: string[], above: string[]) => {
    const options = [...above, ...command.options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []))];
    const topics = command.name() === "help" ? ["exit-codes", ...program.commands.map((one) => one.name())] : [];
    const values = [...topics, ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? [])];
    all.push({ words, options, text: command.description(), values });
    for (const inner of command.commands) walk(inner, [...words, inner.name()], options);
  };
  walk(program, [], []);
  return all;
}

/** Of options that take one of a few values. */
function choicesOf(program: Command): ReadonlyMap<string, readonly string[]> {
  const all = [program, ...program.commands.flatMap((one) => [one, ...one.commands])];
  const options = all.flatMap((command) => command.options);
  return new Map(options.flatMap(({ long, argChoices }) => (long && argChoices ? [[long, argChoices] as const] : [])));
}

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

function completion(shell: Shell, program: Command): string {
  const words = wordsOf(program);
  if (shell === "fish") return fish(words, choicesOf(program));
  const script = bash(words, choicesOf(program));
  return shell === "bash" ? script : `#compdef deploy\nautoload -U +X bashcompinit && bashcompinit\n${script}`;
}

function below(words: readonly Word[], at: readonly string[]): string[] {
  return words
    .filter(({ words: each }) => each.length === at.length + 1 && at.every((word, n) => each[n] === word))
    .map(({ words: each }) => each.at(-1)!);
}

/** The command is what of the line are words of one; everything else on it is values. */
function bash(words: readonly Word[], choices: ReadonlyMap<string, readonly string[]>): string {
  const cases = words.map(({ words: at, options, values }) => {
    const offered = [...below(words, at), ...values, ...options].join(" ");
    return `    "${at.join(" ")}") offered="${offered}" ;;`;
  });
  const known = words.filter(({ words: at }) => at.length > 0).map(({ words: at }) => `"${at.join(" ")}"`);
  const after = [...choices].map(([option, values]) => `    ${option}) offered="${values.join(" ")}" ;;`);
  return `_deploy() {
  local current="\${COMP_WORDS[COMP_CWORD]}" command="" word next offered=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${command:+$command }$word"
    case "$next" in
      ${known.join("|")}) command="$next" ;;
    esac
  done
  case "$command" in
${cases.join("\n")}
  esac
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
${after.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$current"))
}
complete -F _deploy deploy
`;
}

function fish(words: readonly Word[], choices: ReadonlyMap<string, readonly string[]>): string {
  const lines = ["complete -c deploy -f"];
  const topLevel = below(words, []);
  for (const { words: at, options, text, values } of words) {
    const described = text === "" ? "" : ` -d '${text.replaceAll("'", "\\'")}'`;
    const parent = at.slice(0, -1);
    const inside =
      parent.length === 0
        ? `not __fish_seen_subcommand_from ${topLevel.join(" ")}`
        : `__fish_seen_subcommand_from ${parent.at(-1)}`;
    if (at.length > 0) lines.push(`complete -c deploy -n '${inside}' -a ${at.at(-1)}${described}`);
    const here = at.length === 0 ? "" : ` -n '__fish_seen_subcommand_from ${at.at(-1)}'`;
    const own = at.length === 0 ? options : options.filter((option) => !words[0]!.options.includes(option));
    if (values.length > 0) lines.push(`complete -c deploy${here} -a '${values.join(" ")}'`);
    for (const option of own) {
      const among = choices.get(option);
      lines.push(`complete -c deploy${here} -l ${option.slice(2)}${among ? ` -x -a '${among.join(" ")}'` : ""}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

/** @throws Failure: usage */
export function complete(shell: string | undefined, program: Command): ExitCode {
  const known = SHELLS.find((one) => one === shell);
  if (known === undefined) throw usage(`${shell} is none of ${SHELLS.join(", ")}.`);
  process.stdout.write(completion(known, program));
  return EXIT.done;
}
