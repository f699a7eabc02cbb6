/**
 * What shells print of a value, by the shells of this machine themselves: a program of a configuration is mostly a line
 * for one of them.
 */
import { type ExecFileSyncOptionsWithBufferEncoding, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

type Layout = {
  print: (text: string) => Buffer;
  /** Whether the shell carries sequences out, so that what it prints of a value is another. */
  carriesOut: boolean;
};

const ALL = ["/bin/sh", "/bin/dash", "/bin/bash"];
const SCRIPTS: Record<string, { script: string; carriesOut?: boolean; by?: string[] }> = {
  echo: { script: 'echo "$S"', carriesOut: true },
  "echo -e": { script: 'echo -e "$S"', carriesOut: true, by: ["/bin/bash"] },
  "printf %s": { script: 'printf "%s\\n" "$S"' },
  "printf %b": { script: 'printf "%b\\n" "$S"', carriesOut: true },
  "printf %q": { script: 'printf "%q\\n" "$S"', by: ["/bin/bash"] },
  // What a percent sign does in a format is not what this is about.
  "printf as format": { script: 'case $S in *%*) printf "%b" "$S";; *) printf -- "$S";; esac', carriesOut: true },
  "export -p": { script: "export -p" },
  set: { script: "set" },
  env: { script: "env" },
  trace: { script: 'exec 2>&1; set -x; : "$S"' },
  // Of a name that is not there, so that it is quoted in a message.
  ls: { script: 'ls -- "$S" 2>&1 || true', by: ["/bin/sh"] },
  "xargs -t": { script: 'printf "%s\\0" "$S" | xargs -0 -t true 2>&1', by: ["/bin/sh"] },
  "here document": { script: "cat <<END\n$S\nEND" },
};
const LOCALES = ["C", "C.UTF-8"];
/** A variable takes no more. */
const MOST_BYTES = 100_000;

/** Bash takes a pipe at its input for a login from elsewhere, and reads its user's settings. */
const QUIET: ExecFileSyncOptionsWithBufferEncoding = { stdio: ["ignore", "pipe", "ignore"], maxBuffer: 2 ** 24 };
/** The path by which the programs of a script are found. */
const PATH = "/usr/bin:/bin";

export const SHELLS: ReadonlyMap<string, Layout> = new Map(
  Object.entries(SCRIPTS).flatMap(([name, { script, carriesOut = false, by = ALL }]) =>
    by
      .filter((shell) => existsSync(shell))
      .flatMap((shell) =>
        LOCALES.map((LC_ALL): [string, Layout] => [
          `${name} by ${shell} in ${LC_ALL}`,
          {
            carriesOut,
            print: (text) =>
              Buffer.byteLength(text) > MOST_BYTES
                ? Buffer.from(text)
                : execFileSync(shell, ["-c", script], { ...QUIET, env: { S: text, PATH, LC_ALL } }),
          },
        ]),
      ),
  ),
);
