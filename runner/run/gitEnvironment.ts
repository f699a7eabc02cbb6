/** What git may see and do while it fetches the run's tree. */
import type { RunContext } from "../../src/core/runs/protocol.ts";
import type { RunSettings } from "../config/config.ts";
import type { Entry } from "./gitConfig.ts";
import { type LoginSettings, loginScope } from "./loginScope.ts";
import { helperEntries, ownerAccess, sshEntries } from "./ownerAccess.ts";

export type GitSettings = Pick<RunSettings, "gitAllowProtocol" | "gitSshCommand" | "isolation"> & LoginSettings;

/** A run context whose files are in a repository. */
export type GitContext = Pick<RunContext, "stack" | "scm_credentials"> & {
  source: Extract<RunContext["source"], { type: "git" }>;
};

/**
 * The repository's own credentials travel in a header bound to its address, which saves asking for them; redirects are
 * refused so that the header goes nowhere else. Submodules get those of its owner, where there are any.
 */
export function cloneEntries(context: GitContext, settings: LoginSettings, loginFile: string): Entry[] {
  const { scm_credentials: scm, source } = context;
  const basic = scm && Buffer.from(`${scm.username}:${scm.password}`, "utf8").toString("base64");
  const scope = basic === null ? null : loginScope(source.repository_url, settings);
  const scopes = scope === null ? [] : ownAddresses(scope);
  const access = ownerAccess(context, settings);
  return [
    ["core.hooksPath", "/dev/null"],
    ["http.followRedirects", "false"],
    ["advice.detachedHead", "false"],
    // A repository of this machine is another user's, and whose files may be used is decided before git is asked.
    ["safe.directory", "*"],
    // Nothing to tidy up in a clone that is gone in a minute.
    ["maintenance.auto", "false"],
    ...scopes.map((scope) => [`http.${scope}.extraHeader`, `Authorization: Basic ${basic}`] as const),
    ...(access === null ? [] : [...helperEntries(access, loginFile), ...sshEntries(access)]),
  ];
}

/** Git reads no configuration but that file. */
export function gitEnvironment(settings: GitSettings, configFile: string): Record<string, string> {
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
    GIT_CONFIG_GLOBAL: configFile,
    GIT_SSH_COMMAND: settings.gitSshCommand ?? "ssh -o BatchMode=yes",
  };
}

/** Of the repository alone. Git LFS puts `.git` where there is none. */
function ownAddresses({ origin, pathname }: URL): string[] {
  const own = `${origin}${pathname.replace(/\/+$/, "").replace(/\.git$/, "")}`;
  return [own, `${own}.git`];
}
