import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdir, rename, rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const run = promisify(execFile);
const VERSION = "5.2.5";
const CACHE = new URL("../../.cache/", import.meta.url).pathname;
const FOLDER = `${CACHE}moto-${VERSION}`;

/** A real HTTP server that speaks AWS's protocols, fetched once into the cache folder (needs python3). */
export interface Moto {
  endpoint: string;
  stop(): Promise<void>;
}

export async function startMoto(): Promise<Moto> {
  await install();
  const server = spawn("python3", ["-m", "moto.server", "-H", "127.0.0.1", "-p", "0"], {
    env: { ...process.env, PYTHONPATH: FOLDER, PYTHONUNBUFFERED: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stop = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill("SIGKILL");
    await once(server, "exit");
  };
  for await (const line of createInterface({ input: server.stderr })) {
    const endpoint = /Running on (http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1];
    if (endpoint === undefined) continue;
    // Nobody reads on, and a full pipe would stop the server.
    server.stderr.resume();
    server.stdout.resume();
    return { endpoint, stop };
  }
  throw new Error(`moto ended before it served, with code ${server.exitCode}`);
}

async function install(): Promise<void> {
  if (await exists(`${FOLDER}/moto`)) return;
  await mkdir(CACHE, { recursive: true });
  const unfinished = `${FOLDER}.${process.pid}`;
  await run("python3", ["-m", "pip", "install", "--quiet", "--target", unfinished, `moto[server,s3]==${VERSION}`]);
  // Another test process may have been quicker; either copy serves.
  await rename(unfinished, FOLDER).catch(() => rm(unfinished, { recursive: true, force: true }));
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
