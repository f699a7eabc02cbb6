/** How the text of a variable becomes a value, where only the runner has such a one. */
import * as v from "valibot";
import { text } from "../../src/platform/settings/formats.ts";

export const filePath = text(/^\S.*$/, "a file path");

/** Names of environment variables, comma-separated. The runner's own settings are for no engine. */
export const variableNames = v.pipe(
  v.string(),
  v.transform(splitList),
  v.check(
    (names) => names.every((name) => /^[A-Za-z_]\w*$/.test(name) && !name.startsWith("RUNNER_")),
    "expected names of environment variables, comma-separated, none of them RUNNER_*",
  ),
);

/** Absolute paths, comma-separated. */
export const folders = v.pipe(
  v.string(),
  v.transform(splitList),
  v.check((list) => list.every((file) => file.startsWith("/")), "expected absolute paths, comma-separated"),
);

/** `host:port` each, comma-separated; `allowed` for none. */
export const addresses = v.pipe(
  v.string(),
  v.transform((value) => (value.trim() === "allowed" ? [] : splitList(value))),
  v.check(
    (list) => list.every((address) => /^(?:[^\s:[\]/]+|\[[0-9a-fA-F:.]+\]):\d{1,5}$/.test(address)),
    "expected host:port, comma-separated, or allowed",
  ),
);

function splitList(list: string): string[] {
  return list
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}
