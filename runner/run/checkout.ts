import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { GitSource } from "../../src/core/runs/protocol.ts";
import { NOWHERE } from "../output/sink.ts";
import type { Steps } from "../process/steps.ts";
import { RunFailed } from "../service/outcome.ts";
import { commitReport } from "./commitReport.ts";
import type { Findings } from "./findings.ts";
import { withGitConfig } from "./gitConfig.ts";
import { cloneEntries, type GitContext, type GitSettings, gitEnvironment } from "./gitEnvironment.ts";
import { visibleAddress } from "./hiddenRepository.ts";
import { isTooOpen } from "./loginScope.ts";
import { makeRepository } from "./makeRepository.ts";
import { branchHeadFetched, expectOnBranch } from "./onBranch.ts";
import { ownerAccess } from "./ownerAccess.ts";
import { stackDirectory } from "./stackDirectory.ts";
import { completeTree, type Tree } from "./wholeTree.ts";

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** What git itself forbids in a branch name, and a leading dash, which would read as an option. */
const BAD_BRANCH = /^[-/.]|\.\.|@\{|\/\/|[/.]$|\.lock$|[\s~^:?*[\\\p{Cc}]/u;
/** Of questions to git, whose answer is their exit code. */
const QUIET = { stdout: NOWHERE, stderr: NOWHERE };
const BAD_URL = /^-|[\s\p{Cc}]/u;
const TOO_OPEN =
  "The repository's address is plain http, so its credentials are not sent. Use https, or let the runner's operator set RUNNER_GIT_LOGINS_BY_HTTP=on.";

/**
 * Clones the repository at exactly the run's commit and returns the stack's directory inside it. The commit is fetched
 * alone; a host that does not serve bare commits gives the pull request's head, or the branch.
 * @throws RunFailed, Stopped
 */
export async function checkOut(
  context: GitContext,
  into: string,
  settings: GitSettings,
  steps: Steps,
  findings: Findings,
): Promise<string> {
  const { repository_url: url, branch, commit_sha: commit } = context.source;
  if (!COMMIT.test(commit)) throw new RunFailed("The commit id is malformed.");
  if (branch.length > 250 || branch === "" || BAD_BRANCH.test(branch))
    throw new RunFailed("The branch name is malformed.");
  if (url === "" || BAD_URL.test(url)) throw new RunFailed("The repository address is malformed.");
  const from = await visibleAddress(url, settings.isolation, steps.copyOf);
  steps.stop.check();
  await mkdir(into, { mode: 0o700 });
  await makeRepository(path.join(into, ".git"));
  const configFile = `${into}.gitconfig`;
  const env = gitEnvironment(settings, configFile);
  const git: Tree["git"] = (args, output) => steps.run("git", args, { cwd: into, env, ...output });
  if (context.scm_credentials !== null && isTooOpen(url, settings)) steps.log.note(TOO_OPEN);
  const config = {
    login: ownerAccess(context, settings)?.login ?? null,
    entries: (loginFile: string) => cloneEntries(context, settings, loginFile),
  };
  await withGitConfig(configFile, config, () => fetchTree(context, { into, git, env, from }, steps, findings));
  return stackDirectory(into, context.stack.working_directory, "at this commit");
}

async function fetchTree(
  context: GitContext,
  { into, git, env, from }: { into: string; git: Tree["git"]; env: Record<string, string>; from: string },
  steps: Steps,
  findings: Findings,
): Promise<void> {
  const { repository_url: url, branch, commit_sha: commit, describe_commit, must_be_on_branch } = context.source;
  steps.log.step(`Cloning ${withoutUserInfo(url)} at ${commit}`);
  const shallow = (...refs: string[]) => git(["fetch", "--quiet", "--no-tags", "--depth", "1", "--", from, ...refs]);
  const withHead = must_be_on_branch === true && (await shallow(commit, `refs/heads/${branch}`)).code === 0;
  const isHead = withHead && (await branchHeadFetched(into, branch)) === commit;
  const alone = withHead || (await shallow(commit)).code === 0;
  const fetched = (ref: string) => git(["fetch", "--quiet", "--no-tags", "--", from, ref]);
  if (!alone && !(await holds(pullRequestHead(context.source), fetched, commit, git, steps))) {
    steps.log.step(`The commit cannot be fetched alone; fetching branch ${branch}`);
    await expectSuccess(fetched(`refs/heads/${branch}`), steps);
  }
  if (must_be_on_branch === true) {
    if (!isHead) await expectOnBranch({ url: from, branch, commit, env }, `${into}.history`, steps);
    findings.onBranch = true;
  }
  const checkout = await git(["checkout", "--quiet", "--detach", commit]);
  if (checkout.code !== 0) throw await notCheckedOut(context.source, git, steps);
  await expectCommit(into, commit);
  if (describe_commit === true) findings.commit = await commitReport(git, commit);
  const directory = context.stack.working_directory;
  await completeTree({ root: into, url: withoutUserInfo(url), git, directory }, steps, findings);
}

/** Why: the commit was not fetched, is none, or its files cannot be written here. */
async function notCheckedOut({ commit_sha, branch }: GitSource, git: Tree["git"], steps: Steps): Promise<RunFailed> {
  const excerpt = steps.log.failureExcerpt();
  if ((await git(["cat-file", "-e", commit_sha], QUIET)).code !== 0)
    return new RunFailed(`Commit ${commit_sha} is not on branch ${branch} of the repository.`);
  if ((await git(["cat-file", "-e", `${commit_sha}^{commit}`], QUIET)).code !== 0) return noCommit(commit_sha);
  return new RunFailed(`Commit ${commit_sha} cannot be checked out${excerpt === "" ? "." : `: ${excerpt}`}`);
}

/** A tag's own id leads git to the tag's commit, which is another than the one that was asked for. */
async function expectCommit(directory: string, commit: string): Promise<void> {
  const head = (await readFile(path.join(directory, ".git", "HEAD"), "utf8")).trim();
  if (head !== commit) throw noCommit(commit);
}

function noCommit(id: string): RunFailed {
  return new RunFailed(`${id} is an object of the repository, but no commit. Nothing was planned.`);
}

/** Where hosts keep the head of a pull request, of forks too, in the repository it goes to. */
function pullRequestHead({ pull_request: number }: GitSource): string | null {
  return number === undefined || !Number.isSafeInteger(number) ? null : `refs/pull/${number}/head`;
}

type Exit = Promise<{ code: number | null }>;

/** Whether the commit is there once `ref` was fetched. A host that has no such ref, or another head by now, says no. */
async function holds(
  ref: string | null,
  fetched: (ref: string) => Exit,
  commit: string,
  git: Tree["git"],
  { log }: Steps,
): Promise<boolean> {
  if (ref === null) return false;
  log.step(`The commit cannot be fetched alone; fetching ${ref}`);
  if ((await fetched(ref)).code !== 0) return false;
  return (await git(["cat-file", "-e", `${commit}^{commit}`], QUIET)).code === 0;
}

async function expectSuccess(exit: Exit, steps: Steps): Promise<void> {
  if ((await exit).code === 0) return;
  const excerpt = steps.log.failureExcerpt();
  throw new RunFailed(`The repository cannot be cloned${excerpt === "" ? "." : `: ${excerpt}`}`);
}

function withoutUserInfo(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, "$1");
}
