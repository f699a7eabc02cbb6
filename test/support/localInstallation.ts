/** `npm start`'s program as a process of its own, and a look at every process it is answerable for. */
import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ApiClient, apiClient } from "../../src/main/demo/apiClient.ts";
import { type Child, startChild } from "../../src/main/dev/child.ts";
import type { Ready } from "../../src/main/dev/installation.ts";
import { waitFor } from "./waitFor.ts";

const PROGRAM = fileURLToPath(new URL("../../src/main/all.ts", import.meta.url));

export type LocalInstallation = { launcher: Child; ready: Ready; api: ApiClient };

/**
 * Start it over `folder` with these settings beside the present ones, and wait until it says that it is ready. Runs may
 * write to the folder above: tests keep states there and look for traces.
 */
export async function startLocalInstallation(
  folder: string,
  settings: Record<string, string | undefined> = {},
): Promise<LocalInstallation> {
  const logFile = join(folder, "..", "output.log");
  const launcher = await startChild(process.execPath, [PROGRAM, "--data", folder, "--port", "0"], {
    logFile,
    env: { ...process.env, RUNNER_WALL_WRITE: join(folder, ".."), RUNNER_SLOT_UID: "0", ...settings },
    orphanSignal: "TERM",
  });
  const ended = launcher.exited.then(async (how) => {
    throw new Error(`it ended with ${how}: ${(await readFile(logFile, "utf8")).slice(-2_000)}`);
  });
  const ready = await Promise.race([ended, untilReady(folder, launcher.pid)]);
  const api = apiClient(`${ready.base_url}/api/v1/orgs/${ready.org_id}`, ready.admin_token);
  return { launcher, ready, api };
}

/** One that was killed leaves its ready.json behind; its successor takes the folder and removes that first. */
function untilReady(folder: string, pid: number): Promise<Ready> {
  const read = async () => {
    const lock = await readFile(join(folder, "launcher.pid"), "utf8");
    if (!lock.startsWith(`${pid} `)) throw new Error("the folder is not taken yet");
    return JSON.parse(await readFile(join(folder, "ready.json"), "utf8")) as Ready;
  };
  return waitFor(read, { what: "ready.json", timeoutMs: 60_000, everyMs: 100 });
}

/** Processes that have `folder` on their command line, in their environment or as their working directory, by id. */
export async function processesOf(folder: string): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number)) {
    const read = (name: string) => readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "");
    const command = await read("cmdline");
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => "");
    if (pid !== process.pid && [command, await read("environ"), cwd].some((text) => text.includes(folder))) {
      found.set(pid, command.replaceAll("\0", " ").trim());
    }
  }
  return found;
}
