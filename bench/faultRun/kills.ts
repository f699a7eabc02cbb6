/** Something is killed with -9 every few seconds: a program, a server, a backend, or a coordinator with its runners. */
import { type Component, startChaos } from "./chaos.ts";
import type { Disturb } from "./round.ts";

/** @param whole whether a coordinator goes with all of its runners, or one runner alone */
export function kills(everyMs: number, whole: boolean): Disturb {
  return ({ installation, coordinators, chance, say, onFailure }) => {
    const ofRunners: Component[] = coordinators.map((runners, at) => ({
      name: whole ? `coordinator-${at + 1}` : "a runner",
      kill: async () => (whole ? runners.killAll() : runners.killOne()),
      start: async () => {},
    }));
    const components = [...installation.components, ...ofRunners];
    const chaos = startChaos(components, everyMs, say, onFailure, (of) => chance.pick(of));
    return {
      stop: () => chaos.stop(),
      done() {
        const byName = Map.groupBy(chaos.kills, ({ name }) => name.replace(/-\d$/, ""));
        return Object.fromEntries(
          [...byName].map(([name, of]) => [name, [of.length, Math.max(...of.map(({ outageMs }) => outageMs ?? 0))]]),
        );
      },
    };
  };
}
