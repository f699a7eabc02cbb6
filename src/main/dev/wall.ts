/** What a runner says of the wall around its runs, for whoever started it. */
import { open, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

const LOOK_EVERY_MS = 100;
const LOOK_FOR_MS = 60_000;

/** Where what a program writes from now on begins in its log. */
export async function endOfLog(logFile: string): Promise<number> {
  return stat(logFile).then(
    ({ size }) => size,
    () => 0,
  );
}

/** Says it once, as soon as the runner has tried its wall. Never throws; gives up after a minute. */
export async function announceWall(logFile: string, from: number, log: (line: string) => void): Promise<void> {
  const until = Date.now() + LOOK_FOR_MS;
  while (Date.now() < until) {
    const isolation = /"isolation":"([a-z]+)".*"coordinator started"/.exec(await textFrom(logFile, from))?.[1];
    if (isolation !== undefined) return log(sentence(isolation));
    await sleep(LOOK_EVERY_MS, undefined, { ref: false });
  }
}

function sentence(isolation: string): string {
  return isolation === "none"
    ? "runs have no wall around them: what a stack executes can do what you can (docs/runners.md)"
    : `each run has a wall around it: ${isolation}`;
}

async function textFrom(file: string, from: number): Promise<string> {
  const handle = await open(file).catch(() => null);
  if (handle === null) return "";
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(65_536), position: from });
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}
