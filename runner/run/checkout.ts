import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { GitSource, RunContext } from "../../src/core/runs/protocol.ts";
import type { RunSettings } from "../config/config.ts";
import type { Steps } from "../process/steps.ts";
import { RunFailed } from "../service/outcome.ts";
import { stackDirectory } from "./stackDirectory.ts";
import { completeTree, type Tree } from "./wholeTree.ts";

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** What git itself forbids in a branch name, and a leading dash, which would read as an option. */
const BAD_BRANCH = /^[-/.]|\.\.|@\{|\/\/|[/.]$|\.lock$|[\s~^:?*[\\\p{Cc}]/u;
const BAD_URL = /^-|[\s\p{Cc}]/u;

type GitSettings = Pick<RunSettings, "gitAllowProtocol" | "gitSshCommand">;
/** A run context whose files are in a repository. */
export type GitContext = Pick<RunContext, "stack" | "scm_credentials"> & { source: GitSource };

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
): Promise<string> {
  const { repository_url: url, branch, commit_sha: commit } = context.source;
  if (!COMMIT.test(commit)) throw new RunFailed("The commit id is malformed.");
  if (branch.length > 250 || branch === "" || BAD_BRANCH.test(branch))
    throw new RunFailed("The branch name is malformed.");
  if (url === "" || BAD_URL.test(url)) throw new RunFailed("The repository address is malformed.");
  await makeRepository(into);
  const env = gitEnvironment(context, settings);
  const git: Tree["git"] = (args, output) => steps.run("git", args, { cwd: into, env, ...output });
  steps.log.step(`Cloning ${withoutUserInfo(url)} at ${commit}`);
  const alone = await git(["fetch", "--quiet", "--no-tags", "--depth", "1", "--", url, commit]);
  const fetched = (ref: string) => git(["fetch", "--quiet", "--no-tags", "--", url, ref]);
  if (alone.code !== 0 && !(await holds(pullRequestHead(context.source), fetched, commit, git, steps))) {
    steps.log.step(`The commit cannot be fetched alone; fetching branch ${branch}`);
    await expectSuccess(fetched(`refs/heads/${branch}`), steps);
  }
  const checkout = await git(["checkout", "--quiet", "--detach", commit]);
  if (checkout.code !== 0) throw await notCheckedOut(context.source, git, steps);
  await expectCommit(into, commit);
  await completeTree({ root: into, url: withoutUserInfo(url), git }, steps);
  return stackDirectory(into, context.stack.working_directory, "at this commit");
}

/** Why: the commit was not fetched, is none, or its files cannot be written here. */
async function notCheckedOut({ commit_sha, branch }: GitSource, git: Tree["git"], steps: Steps): Promise<RunFailed> {
  const excerpt = steps.log.failureExcerpt();
  const quiet = { stdout: { write: () => {}, end: () => {} } };
  if ((await git(["cat-file", "-e", commit_sha], quiet)).code !== 0)
    return new RunFailed(`Commit ${commit_sha} is not on branch ${branch} of the repository.`);
  if ((await git(["cat-file", "-e", `${commit_sha}^{commit}`], quiet)).code !== 0) return noCommit(commit_sha);
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

/** An empty one. What else git's `init` makes is of no use here, and a program costs more than two folders. */
async function makeRepository(directory: string): Promise<void> {
  const inside = path.join(directory, ".git");
  await mkdir(directory, { mode: 0o700 });
  await mkdir(path.join(inside, "objects"), { recursive: true });
  await mkdir(path.join(inside, "refs"));
  await writeFile(path.join(inside, "HEAD"), "ref: refs/heads/main\n");
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
  return (await git(["cat-file", "-e", `${commit}^{commit}`])).code === 0;
}

async function expectSuccess(exit: Exit, steps: Steps): Promise<void> {
  if ((await exit).code === 0) return;
  const excerpt = steps.log.failureExcerpt();
  throw new RunFailed(`The repository cannot be cloned${excerpt === "" ? "." : `: ${excerpt}`}`);
}

/**
 * Git reads no configuration but this. Credentials travel in a header bound to the repository's origin, set through the
 * environment because argv is visible to every user of the machine; redirects are refused so that the header goes
 * nowhere else.
 */
function gitEnvironment(context: GitContext, settings: GitSettings): Record<string, string> {
  const config: [string, string][] = [
    ["core.hooksPath", "/dev/null"],
    ["http.followRedirects", "false"],
    ["advice.detachedHead", "false"],
    // Nothing to tidy up in a clone that is gone in a minute.
    ["maintenance.auto", "false"],
  ];
  const { scm_credentials: scm, source } = context;
  const origin = URL.parse(source.repository_url)?.origin;
  if (scm !== null && origin?.startsWith("http")) {
    const basic = Buffer.from(`${scm.username}:${scm.password}`, "utf8").toString("base64");
    const scopes = source.pull_request === undefined ? [`${origin}/`] : ownAddresses(source.repository_url);
    for (const scope of scopes) config.push([`http.${scope}.extraHeader`, `Authorization: Basic ${basic}`]);
    // Submodules of the same host are often named by their address for SSH.
    const { hostname } = new URL(origin);
    for (const ssh of [`git@${hostname}:`, `ssh://git@${hostname}/`]) config.push([`url.${origin}/.insteadOf`, ssh]);
  }
  const passed = ["HOME", "PATH", "LANG", "SSH_AUTH_SOCK", "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO"];
  const proxies = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy"];
  const inherited = [...passed, ...proxies].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(inherited),
    GIT_ALLOW_PROTOCOL: settings.gitAllowProtocol.join(":"),
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "true",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_SSH_COMMAND: settings.gitSshCommand ?? "ssh -o BatchMode=yes",
    GIT_CONFIG_COUNT: String(config.length),
    ...Object.fromEntries(config.map(([key], index) => [`GIT_CONFIG_KEY_${index}`, key])),
    ...Object.fromEntries(config.map(([, value], index) => [`GIT_CONFIG_VALUE_${index}`, value])),
  };
}

/**
 * Of the repository alone: whoever opened a pull request, from a fork perhaps, wrote its submodules, and they must not
 * reach what else the credentials open. Git LFS puts `.git` where there is none.
 */
function ownAddresses(url: string): string[] {
  const { origin, pathname } = new URL(url);
  const own = `${origin}${pathname.replace(/\/+$/, "").replace(/\.git$/, "")}`;
  return [own, `${own}.git`];
}

function withoutUserInfo(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, "$1");
}
