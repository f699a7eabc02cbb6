/** A real Gitea from its Go module: the program, and the module's folder with its templates. Built once and kept. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const VERSION = "1.26.0";
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "deployment-orchestrator");

export type GiteaBuild = { program: string; sources: string };

export function giteaBuild(): GiteaBuild {
  const folder = join(CACHE, `gitea-${VERSION}`);
  const [program, sources] = [join(folder, "gitea"), join(folder, "sources")];
  if (existsSync(program)) return { program, sources };
  mkdirSync(folder, { recursive: true });
  // Quick to build counts for more than quick to run.
  const env = { ...process.env, GOFLAGS: "-mod=mod -buildvcs=false", CGO_CFLAGS: "-O0" };
  const json = execFileSync("go", ["mod", "download", "-json", `code.gitea.io/gitea@v${VERSION}`], { env });
  const { Dir } = JSON.parse(json.toString()) as { Dir: string };
  if (!existsSync(sources)) execFileSync("cp", ["-r", "--no-preserve=mode", Dir, sources]);
  const built = join(folder, "built");
  const words = ["build", "-ldflags", "-s -w", "-tags", "sqlite sqlite_unlock_notify", "-o", built, "."];
  execFileSync("nice", ["-n", "15", "go", ...words], { cwd: sources, env, stdio: "inherit" });
  // Whole or not there: a build that broke off is begun anew.
  renameSync(built, program);
  return { program, sources };
}
