/**
 * The callers of the troublesome organization, in a thread of their own: what many answers at once cost them must not
 * stand before the measuring of other organizations' answers.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, Worker, workerData } from "node:worker_threads";

export type CallersOf = {
  token: string;
  calls: { url: string; body?: object }[];
};
export type Answers = Record<string, number>;

/** Begin calling. `stop` ends it and gives how often was answered what. */
export function startCallers(of: CallersOf): { stop(): Promise<Answers> } {
  const thread = new Worker(new URL(import.meta.url), { workerData: of });
  const failed = new Promise<never>((_, reject) => thread.once("error", reject));
  failed.catch(() => {});
  return {
    async stop() {
      const answers = new Promise<Answers>((resolve) => thread.once("message", resolve));
      thread.postMessage("stop");
      return await Promise.race([answers, failed]).finally(() => thread.terminate());
    },
  };
}

/** One call after the other: at once, and again when told to. */
async function keepCalling({ token }: CallersOf, call: CallersOf["calls"][number], seen: Answers, stop: AbortSignal) {
  while (!stop.aborted) {
    const { url, body } = call;
    const answer = await fetch(url, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch(() => null);
    await answer?.arrayBuffer().catch(() => undefined);
    const status = String(answer?.status ?? "none");
    seen[status] = (seen[status] ?? 0) + 1;
    const wait = Number(answer?.headers.get("retry-after") ?? 1);
    await sleep(wait * 1_000, undefined, { signal: stop }).catch(() => {});
  }
}

async function main(of: CallersOf): Promise<void> {
  const stopping = new AbortController();
  parentPort?.once("message", () => stopping.abort());
  const seen: Answers = {};
  await Promise.all(of.calls.map((call) => keepCalling(of, call, seen, stopping.signal)));
  parentPort?.postMessage(seen);
}

if (parentPort !== null && workerData !== null) await main(workerData as CallersOf);
