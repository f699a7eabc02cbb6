/**
 * Whether a commit is on the stack's branch, where no code host could tell
 * (docs/rules/deployments.md#where-the-code-stands). An address serves more than its branches: commits of forks, of
 * requests that were refused, of branches that are gone.
 */
import { mkdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { NOWHERE, type Sink } from "../output/sink.ts";
import type { StepOptions, Steps } from "../process/steps.ts";
import { RunFailed } from "../service/outcome.ts";
import { makeRepository } from "./makeRepository.ts";

type Sought = { url: string; branch: string; commit: string; env: Record<string, string> };

/**
 * Fetches the branch's commits, without their files where the host can leave them out, into a repository of its own:
 * the run's holds the commit already, and a history that ends there.
 * @param into a folder that is made, and gone afterwards
 * @throws RunFailed for a commit that is not among them, Stopped
 */
export async function expectOnBranch({ url, branch, commit, env }: Sought, into: string, steps: Steps): Promise<void> {
  await mkdir(into, { mode: 0o700 });
  try {
    const alone = { ...env, GIT_NO_LAZY_FETCH: "1" };
    const git = async (args: string[], output: Pick<StepOptions, "stderr"> = {}) =>
      (await steps.run("git", args, { cwd: into, env: alone, ...output })).code;
    steps.log.step(`Looking whether branch ${branch} has the commit`);
    const ref = `+refs/heads/${branch}:refs/heads/stack`;
    const said = heldErrors();
    await makeRepository(into);
    const fetched =
      (await git(["fetch", "--quiet", "--no-tags", "--filter=tree:0", "--", url, ref], { stderr: said })) === 0;
    if (!fetched) said.release(steps);
    if (!fetched) throw new RunFailed(`Whether commit ${commit} is on branch ${branch} cannot be told.${why(steps)}`);
    // Of a commit that was not fetched git says in its own words what the reason says.
    if ((await git(["merge-base", "--is-ancestor", commit, "refs/heads/stack"], { stderr: NOWHERE })) !== 0)
      throw new RunFailed(`Commit ${commit} is not on branch ${branch} (commit_not_on_branch). Nothing of it was run.`);
  } finally {
    await rm(into, { recursive: true, force: true });
  }
}

/** A host that leaves nothing out makes git warn, of what matters only where the fetch fails. */
function heldErrors(): Sink & { release(steps: Steps): void } {
  const parts: Buffer[] = [];
  return {
    write: (bytes) => void parts.push(bytes),
    end: () => {},
    release({ log }) {
      const stream = log.stream();
      for (const bytes of parts) stream.write(bytes);
      stream.end();
    },
  };
}

/** The head of a branch that git has fetched just now, by what it wrote down of it; null when it was not among that. */
export async function branchHeadFetched(repository: string, branch: string): Promise<string | null> {
  const text = await readFile(path.join(repository, ".git", "FETCH_HEAD"), "utf8");
  const lines = text.split("\n").map((line) => line.split("\t"));
  return lines.find(([, , what]) => what?.startsWith(`branch '${branch}' of `))?.[0] ?? null;
}

function why({ log }: Steps): string {
  const excerpt = log.failureExcerpt();
  return excerpt === "" ? "" : ` ${excerpt}`;
}
