/**
 * The head of a branch, asked of its host with `git ls-remote` in one bounded call
 * (docs/rules/source-control.md#looking-up-a-commit).
 */
import { execFile } from "node:child_process";
import { isIP } from "node:net";
import type { Head } from "../../core/deployments/head.ts";
import { parseRepositoryUrl, type RepositoryAddress } from "../../core/stacks/repositoryUrl.ts";
import type { TenantGate } from "../../platform/egress/tenantGate.ts";
import { ProblemError } from "../../platform/problems/problem.ts";

export type GitSettings = {
  /** Transports git may use, joined by `:` (GIT_ALLOW_PROTOCOL). */
  allowProtocol: string[];
  /**
   * Refuses hosts that outbound calls may not reach, by throwing (docs/rules/secrets.md#outbound-calls). git then
   * connects to the addresses that were checked, whatever the name says a moment later; it finds its own way where
   * none are given back.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a check may have nothing to pin
  checkHost(host: string, port: number | null): Promise<readonly string[] | void>;
  timeoutMs?: number;
  /** Who may start git now: it is a process each time, and what it asks may hang. Absent: everybody. */
  turns?: Pick<TenantGate, "through">;
  /**
   * The integration's own answer; undefined when none serves the repository, null when it has no such branch, or
   * commit.
   */
  headAtHost?(
    repository: { orgId: string; repositoryUrl: string; branch: string },
    named?: string,
  ): Promise<Head | null | undefined>;
};

/** A look that only spares the runner one. */
const LOOK_MS = 3_000;

/** The branch does not exist at its repository. */
class BranchNotFoundError extends ProblemError {
  constructor(branch: string) {
    const errors = [{ field: "commit_sha", message: `branch ${branch} has no commit at its repository` }];
    super({
      status: 422,
      code: "invalid_value",
      detail: `The stack's branch ${branch} could not be resolved to a commit.`,
      errors,
    });
  }
}

/** The id leads to no commit of the repository: there is no such object, or it is a tree or a file. */
class CommitNotFoundError extends ProblemError {
  constructor() {
    const errors = [{ field: "commit_sha", message: "leads to no commit of the stack's repository" }];
    const detail = "The stack's repository has no such commit.";
    super({ status: 422, code: "invalid_value", detail, errors });
  }
}

/**
 * The host did not answer, refused, or may not be asked. The text never repeats git's own, which may hold credentials.
 */
class RepositoryUnreachableError extends ProblemError {
  constructor(cause?: unknown) {
    super({
      status: 502,
      code: "repository_unreachable",
      detail:
        "The stack's repository could not be read to find its branch's head. If its address is not public, the operator can open it with SVC_EGRESS_ALLOW.",
      cause,
    });
  }
}

/**
 * The commit at the head of a stack's branch, asked of its integration where there is one, else with git; or the one
 * that an id leads to, which git cannot be asked without a clone.
 * @throws as `HeadOf`, HostError
 */
export async function resolveHead(
  settings: GitSettings,
  stack: { orgId: string; repositoryUrl: string; branch: string },
  named?: string,
): Promise<Head> {
  const head = await settings.headAtHost?.(stack, named);
  if (head === null) throw named === undefined ? new BranchNotFoundError(stack.branch) : new CommitNotFoundError();
  const { repositoryUrl, branch } = stack;
  if (head) return head;
  // Each lookup takes its turn: it is a process, and what it asks may hang.
  const ask = (limits: GitSettings) => {
    const look = () => resolveBranchHead(limits, repositoryUrl, branch);
    return settings.turns?.through(stack.orgId, look) ?? look();
  };
  if (named !== undefined)
    return { sha: named, message: null, author: null, onBranch: await isHead(named, ask, settings) };
  return { sha: await ask(settings), message: null, author: null };
}

/**
 * Git tells heads and no history: only of the head itself it says that the branch has it. No answer refuses nothing.
 */
async function isHead(
  commit: string,
  ask: (settings: GitSettings) => Promise<string>,
  settings: GitSettings,
): Promise<true | undefined> {
  const bounded = { ...settings, timeoutMs: Math.min(settings.timeoutMs ?? LOOK_MS, LOOK_MS) };
  const head = await ask(bounded).catch(() => null);
  return head === commit || undefined;
}

/**
 * The same with git alone. Address and branch are the stack's, whose charset was checked when they were stored.
 * @throws BranchNotFoundError, RepositoryUnreachableError
 */
async function resolveBranchHead(settings: GitSettings, repositoryUrl: string, branch: string): Promise<string> {
  const address = parseRepositoryUrl(repositoryUrl);
  if (address === null) throw new RepositoryUnreachableError();
  const pinned = address.host === "" ? [] : await checked(settings, address);
  const ref = `refs/heads/${branch}`;
  const output = await git(["ls-remote", "--", repositoryUrl, ref], settings, pin(address, pinned));
  const line = output.split("\n").find((text) => text.endsWith(`\t${ref}`));
  const sha = line?.split("\t")[0];
  if (!sha || !/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(sha)) throw new BranchNotFoundError(branch);
  return sha;
}

async function checked({ checkHost }: GitSettings, { host, port }: RepositoryAddress): Promise<readonly string[]> {
  try {
    return (await checkHost(host, port)) ?? [];
  } catch (error) {
    throw new RepositoryUnreachableError(error);
  }
}

/** What makes git's transports use the addresses that were checked; the plain `git` protocol has no such option. */
function pin({ protocol, host, port }: RepositoryAddress, checked: readonly string[]): Pinned {
  const addresses = checked.filter((address) => /^[0-9a-fA-F.:]+$/.test(address));
  if (addresses.length === 0 || isIP(host)) return { config: [], ssh: "" };
  if (protocol === "ssh") return { config: [], ssh: ` -o HostName=${addresses[0]} -o HostKeyAlias=${host}` };
  return { config: [["http.curloptResolve", `${host}:${port}:${addresses.join(",")}`]], ssh: "" };
}
type Pinned = { config: [key: string, value: string][]; ssh: string };

function git(args: string[], { allowProtocol, timeoutMs = 10_000 }: GitSettings, pinned: Pinned): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      "git",
      args,
      { timeout: timeoutMs, killSignal: "SIGKILL", maxBuffer: 1024 * 1024, env: environment(allowProtocol, pinned) },
      (error, stdout) =>
        error ? reject(new RepositoryUnreachableError(new Error(`git ended with ${error.code}`))) : resolve(stdout),
    );
  });
}

/**
 * Nothing of this process's secrets, no prompt, no configuration of the machine, no redirect to an unchecked host; no
 * key of an agent, which is nobody's who wrote the address; and no proxy, which would connect to what was not checked.
 */
function environment(allowProtocol: string[], { config, ssh }: Pinned): NodeJS.ProcessEnv {
  const kept = ["PATH", "SSL_CERT_FILE", "GIT_SSL_CAINFO"];
  return {
    ...Object.fromEntries(kept.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
    GIT_ALLOW_PROTOCOL: allowProtocol.join(":"),
    GIT_TERMINAL_PROMPT: "0",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    ...gitConfig([["http.followRedirects", "false"], ...config]),
    GIT_SSH_COMMAND: `ssh -o BatchMode=yes -o StrictHostKeyChecking=accept-new -o IdentityAgent=none -o ConnectTimeout=5${ssh}`,
  };
}

function gitConfig(entries: readonly [key: string, value: string][]): NodeJS.ProcessEnv {
  const pairs = entries.flatMap(([key, value], i) => [
    [`GIT_CONFIG_KEY_${i}`, key],
    [`GIT_CONFIG_VALUE_${i}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(entries.length), ...Object.fromEntries(pairs) };
}
