/**
 * What of a tree is uploaded. `.gitignore` counts in every directory, as git has it. `.terraformignore` at the root has
 * the last word: what it names stays out, and what it takes back with `!` goes in.
 */
import ignore, { type Ignore } from "ignore";

/** What Terraform itself leaves out without a file, and also with one. */
const ALWAYS = [".git", "**/.terraform/*", "!**/.terraform/modules/"];

export type Rules = {
  /** @param path from the root, with `/`; of a directory without one at its end */
  leavesOut(path: string, isDirectory: boolean): boolean;
  /** Rules of a directory below, from its `.gitignore`. */
  add(directory: string, gitignore: string): void;
};

/** @param terraformignore its text, or null where there is no such file */
export function rulesOf(terraformignore: string | null): Rules {
  const own = ignore({ allowRelativePaths: false }).add(ALWAYS);
  if (terraformignore !== null) own.add(terraformignore);
  const ofGit: { directory: string; rules: Ignore }[] = [];
  const byGit = (path: string): boolean => {
    // The innermost file that says anything decides.
    for (const { directory, rules } of ofGit.toReversed()) {
      if (directory !== "" && !path.startsWith(`${directory}/`)) continue;
      const { ignored, unignored } = rules.test(directory === "" ? path : path.slice(directory.length + 1));
      if (ignored || unignored) return ignored;
    }
    return false;
  };
  /** Of the path, or else of the closest directory above it that is named; null: of none. */
  const ownWord = (path: string): boolean | null => {
    const { ignored, unignored } = own.test(path);
    if (ignored || unignored) return ignored;
    const above = path.replace(/[^/]+\/?$/, "");
    return above === "" ? null : ownWord(above);
  };
  return {
    leavesOut(path, isDirectory) {
      const name = isDirectory ? `${path}/` : path;
      return ownWord(name) ?? byGit(name);
    },
    add: (directory, gitignore) => void ofGit.push({ directory, rules: ignore().add(gitignore) }),
  };
}
