import path from "node:path";
import { INIT_ARGUMENTS } from "../engine/engineArguments.ts";
import { withGitConfig } from "./gitConfig.ts";
import { helperEntries, ownerAccess, sshEntries } from "./ownerAccess.ts";
import { engineStep, type RunResources, type Workspace } from "./workspace.ts";

/** Variables by which a context brings its own way over SSH. */
const OWN_SSH = ["GIT_SSH_COMMAND", "GIT_SSH", "SSH_AUTH_SOCK"];

/**
 * The engine's `init`. It fetches modules, so git gets the credentials of the repository's owner for as long as this
 * takes and no longer. @throws RunFailed, Stopped
 */
export async function initialize(
  { context, settings, directory, steps }: Pick<RunResources, "context" | "settings" | "directory" | "steps">,
  workspace: Workspace,
): Promise<void> {
  const access = ownerAccess(context, settings);
  const own = access === null ? null : ownWay(workspace.env);
  if (own !== null)
    steps.log.note(`Modules are fetched with what ${own} gives git, not with the repository's credentials.`);
  if (access === null || own !== null) {
    await engineStep(workspace, steps, INIT_ARGUMENTS, [0], { sensitive: workspace.declared });
    return;
  }
  const file = path.join(directory, "modules.gitconfig");
  const bySsh = OWN_SSH.some((name) => workspace.env[name] !== undefined) ? [] : sshEntries(access);
  const config = {
    login: access.login,
    entries: (loginFile: string) => [...helperEntries(access, loginFile), ...bySsh],
  };
  const sensitive = workspace.declared;
  const added = included(workspace.env, file);
  await withGitConfig(file, config, () => engineStep(workspace, steps, INIT_ARGUMENTS, [0], { added, sensitive }));
}

/** The variable by which a context arranges git's credentials itself; git would ask ours before it. */
function ownWay(env: Record<string, string>): string | null {
  if (env.GIT_ASKPASS !== undefined) return "GIT_ASKPASS";
  if (!/^\d{0,4}$/.test(env.GIT_CONFIG_COUNT ?? "")) return "GIT_CONFIG_COUNT";
  const keys = Object.entries(env).filter(([name]) => name.startsWith("GIT_CONFIG_KEY_"));
  return keys.find(([, key]) => /^credential\./i.test(key))?.[0] ?? null;
}

/** One setting more, behind those of the context. */
function included(env: Record<string, string>, file: string): Record<string, string> {
  const count = Number(env.GIT_CONFIG_COUNT ?? 0);
  return {
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: "include.path",
    [`GIT_CONFIG_VALUE_${count}`]: file,
  };
}
