/**
 * How git reaches the other repositories of the stack's owner, for submodules and modules. The login is in a private
 * file that a credential helper prints: it is in no argument and no variable, and gone before anything of a
 * configuration runs.
 */
import type { RunContext } from "../../src/core/runs/protocol.ts";
import type { Entry } from "./gitConfig.ts";
import { type LoginSettings, loginScope } from "./loginScope.ts";

export interface OwnerAccess {
  /** Scheme, host and port. */
  origin: string;
  owner: string;
  /** What a credential helper prints. */
  login: string;
}

/**
 * Null where the service gives none: a public repository, one over SSH, the code of a fork; and where none may go.
 */
export function ownerAccess(
  { scm_credentials: scm, source }: Pick<RunContext, "scm_credentials" | "source">,
  settings: LoginSettings,
): OwnerAccess | null {
  if (scm?.owner === undefined || source.type !== "git") return null;
  const url = loginScope(source.repository_url, settings);
  // Of groups within groups the outermost: its others hold the modules.
  const [owner, name] = url?.pathname.split("/").filter(Boolean) ?? [];
  if (url === null || owner === undefined || name === undefined) return null;
  const { username, password } = scm.owner;
  // A line end would be another field of git's protocol.
  if (/[\r\n\0]/.test(username + password)) return null;
  return { origin: url.origin, owner, login: `username=${username}\npassword=${password}\n` };
}

/** The helper is asked about this owner's addresses alone, and no other helper may keep what it answers. */
export function helperEntries({ origin, owner }: OwnerAccess, loginFile: string): Entry[] {
  const helper = `!f() { test "$1" = get && cat '${loginFile.replaceAll("'", "'\\''")}'; }; f`;
  return spellings(owner).flatMap((name) => {
    const scope = `credential.${origin}/${name}`;
    return [
      [`${scope}.helper`, ""],
      [`${scope}.helper`, helper],
      [`${scope}.useHttpPath`, "true"],
    ] as const;
  });
}

/** People name a repository by its address for SSH, which takes no such login. */
export function sshEntries({ origin, owner }: OwnerAccess): Entry[] {
  const { hostname } = new URL(origin);
  return spellings(owner).flatMap((name) =>
    [`git@${hostname}:`, `ssh://git@${hostname}/`].map((ssh) => {
      return [`url.${origin}/${name}/.insteadOf`, `${ssh}${name}/`] as const;
    }),
  );
}

/** Hosts take an owner's name in any case; git compares it letter by letter. */
function spellings(owner: string): string[] {
  return [...new Set([owner, owner.toLowerCase()])];
}
