/** How the text of a variable becomes a value, where only the runner has such a one. */
import * as v from "valibot";
import { text } from "../../src/platform/settings/formats.ts";

export const filePath = text(/^\S.*$/, "a file path");

/** Names of environment variables, comma-separated. The runner's own settings are for no engine. */
export const variableNames = v.pipe(
  v.string(),
  v.transform((list) =>
    list
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== ""),
  ),
  v.check(
    (names) => names.every((name) => /^[A-Za-z_]\w*$/.test(name) && !name.startsWith("RUNNER_")),
    "expected names of environment variables, comma-separated, none of them RUNNER_*",
  ),
);
