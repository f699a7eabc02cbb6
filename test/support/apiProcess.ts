/** The API program as a process of its own, so that its event loop is nobody else's. */
import { join } from "node:path";
import { type Child, startChild } from "../../src/main/dev/child.ts";
import { freePorts } from "../../src/main/dev/ports.ts";
import { waitFor } from "./waitFor.ts";

const PROGRAM = join(import.meta.dirname, "../../src/main/api.ts");

export type ApiProcess = Child & { baseUrl: string };

/** Start it and wait until it can serve. `env` holds its settings, with a free port in SVC_LISTEN. */
export async function startApiProcess(env: Record<string, string>, logFile: string): Promise<ApiProcess> {
  const health = `127.0.0.1:${(await freePorts(1))[0]}`;
  const child = await startChild(process.execPath, [PROGRAM], {
    env: { PATH: process.env.PATH ?? "", SVC_API_HEALTH_LISTEN: health, ...env },
    logFile,
    orphanSignal: "KILL",
  });
  const baseUrl = `http://${env.SVC_LISTEN}`;
  await waitFor(async () => (await fetch(`http://${health}/readyz`)).status === 200, {
    what: "the API to be ready",
    timeoutMs: 45_000,
    everyMs: 100,
  });
  return { ...child, baseUrl };
}
