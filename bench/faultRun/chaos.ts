/** Kills a random component with -9 every few seconds and starts it again at once. */
import { setTimeout as sleep } from "node:timers/promises";

export type Component = {
  name: string;
  /** `kill -9`, resolving when it is gone. False when there was nothing to kill. */
  kill(): Promise<boolean>;
  /** Start it again and resolve when it serves. */
  start(): Promise<void>;
};

export type Kill = { name: string; atMs: number; outageMs: number | null };

export type Chaos = {
  kills: Kill[];
  /** Kill no more, and wait until everything serves again. */
  stop(): Promise<void>;
};

/** @param onFailure a component that does not come back ends the run */
export function startChaos(
  components: readonly Component[],
  everyMs: number,
  say: (line: string) => void,
  onFailure: (error: unknown) => void,
  pick: <T>(of: readonly T[]) => T | undefined = (of) => of[Math.floor(Math.random() * of.length)],
): Chaos {
  const stopping = new AbortController();
  const kills: Kill[] = [];
  const down = new Map<string, Promise<void>>();
  const began = performance.now();

  async function killOne(): Promise<void> {
    const up = components.filter(({ name }) => !down.has(name));
    const victim = up.length === 0 ? undefined : pick(up);
    if (victim === undefined) return;
    const kill: Kill = { name: victim.name, atMs: Math.round(performance.now() - began), outageMs: null };
    if (!(await victim.kill())) return;
    kills.push(kill);
    say(`${(kill.atMs / 1000).toFixed(1).padStart(6)} s  kill -9 ${victim.name}`);
    const back = victim.start().then(
      () => {
        kill.outageMs = Math.round(performance.now() - began - kill.atMs);
        if (kill.outageMs > 0) say(`          ${victim.name} serves again after ${kill.outageMs} ms`);
        down.delete(victim.name);
      },
      (error: unknown) => onFailure(error),
    );
    down.set(victim.name, back);
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (!stopping.signal.aborted) await killOne();
    }
  }

  const looping = loop();
  return {
    kills,
    async stop() {
      stopping.abort();
      await looping;
      await Promise.all(down.values());
    },
  };
}
