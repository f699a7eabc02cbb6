/**
 * Something stands still for 1 to 30 s, or a part of the network takes what is sent and passes nothing on: nobody is
 * told, and everything goes on afterwards as if it had been a moment.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { still } from "../harness/pausing.ts";
import type { TcpProxy } from "../harness/proxy.ts";
import type { Disturb } from "./round.ts";

const SHORTEST_MS = 1_000;
const LONGEST_MS = 30_000;

export function stalls(everyMs: number): Disturb {
  return ({ installation, chance, say }) => {
    const stopping = new AbortController();
    const seen = new Map<string, number[]>();
    const began = performance.now();
    const under = new Set<Promise<void>>();
    const places = ["to Postgres", "to Temporal", "to the APIs"];

    async function one(): Promise<void> {
      const ms = SHORTEST_MS + Math.round(chance.next() * (LONGEST_MS - SHORTEST_MS));
      const pids = [...(await installation.pids())];
      const victims: [string, () => Promise<void>][] = [
        ...pids.map(([name, pid]) => [name, () => still(pid, ms)] as [string, () => Promise<void>]),
        ...installation.network.map(
          (proxy, at) => [`network ${places[at]}`, () => lost(proxy, ms)] as [string, () => Promise<void>],
        ),
      ];
      const [name, stall] = chance.pick(victims);
      say(`${((performance.now() - began) / 1_000).toFixed(1).padStart(6)} s  ${name} stands still for ${ms} ms`);
      const kind = name.replace(/-\d$/, "");
      seen.set(kind, [...(seen.get(kind) ?? []), ms]);
      await stall();
    }

    const loop = async () => {
      while (!stopping.signal.aborted) {
        await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {});
        if (stopping.signal.aborted) return;
        const stalling = one().finally(() => under.delete(stalling));
        under.add(stalling);
        // Two at once are enough.
        if (under.size > 1) await Promise.race(under);
      }
    };
    const looping = loop();
    return {
      async stop() {
        stopping.abort();
        await looping;
        await Promise.all(under);
      },
      done: () => Object.fromEntries([...seen].map(([name, of]) => [name, [of.length, Math.max(...of)]])),
    };
  };
}

async function lost(proxy: TcpProxy, ms: number): Promise<void> {
  proxy.stall();
  await sleep(ms);
  proxy.mend();
}
