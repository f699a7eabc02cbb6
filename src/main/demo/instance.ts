/** An instance of its own for the demo, started exactly as `npm start` starts one. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export type Ready = { base_url: string; org_id: string; admin_token: string; temporal_ui_url: string; tool: string };

const PROGRAM = fileURLToPath(new URL("../all.ts", import.meta.url));
const START_MS = 120_000;

/**
 * Start it with these settings beside the present ones.
 * @throws when it is not ready within two minutes; its last output is in the message.
 */
export async function startInstance(
  dataFolder: string,
  settings: Record<string, string>,
): Promise<{ ready: Ready; firstVisit: string; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [PROGRAM, "--data", dataFolder, "--port", "0"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...settings },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes: Buffer) => (output = (output + bytes).slice(-4_000)));
  const ended = once(child, "exit");
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  for (const deadline = performance.now() + START_MS; performance.now() < deadline; await pause(100)) {
    if (child.exitCode !== null) throw new Error(`the instance ended with ${child.exitCode}:\n${output}`);
    const text = await readFile(join(dataFolder, "ready.json"), "utf8").catch(() => "");
    const firstVisit = /First visit +(\S+)/.exec(output)?.[1];
    if (text && firstVisit) return { ready: JSON.parse(text) as Ready, firstVisit, stop };
  }
  await stop();
  throw new Error(`the instance was not ready within two minutes:\n${output}`);
}
