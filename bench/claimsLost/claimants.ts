/** Runners that claim, and die over some of their claims by chance. */
import { setTimeout as sleep } from "node:timers/promises";
import { ServiceRefused } from "../../runner/service/serviceClient.ts";
import type { PollAnswer } from "../../src/core/runs/protocol.ts";
import { type Fleet, NO_CHANGES } from "../harness/runner.ts";
import type { Seeded } from "../harness/seeded.ts";
import { type Fate, LOST_FATES } from "./compare.ts";
import { LOST } from "./sizes.ts";

export type Claimants = {
  /** What they did with each run's claims, in order. */
  fates: Map<string, Fate[]>;
  claims: number;
  oddities: string[];
  stop(): Promise<void>;
};

const POLL_SECONDS = 10;

export function startClaimants(fleet: Fleet, count: number, chance: Seeded): Claimants {
  const stopping = new AbortController();
  const claimants: Omit<Claimants, "stop"> = { fates: new Map(), claims: 0, oddities: [] };
  const loop = async () => {
    while (!stopping.signal.aborted) {
      const claim = await nextClaim(fleet, stopping.signal);
      if (claim === null) continue;
      claimants.claims += 1;
      const wanted: Fate = chance.next() < LOST ? chance.pick(LOST_FATES) : "done";
      const fate = await meet(fleet, claim, wanted).catch((error: unknown) => {
        claimants.oddities.push(`run ${claim.run_id}, ${wanted}: ${error}`);
        return "silent" as const;
      });
      claimants.fates.set(claim.run_id, [...(claimants.fates.get(claim.run_id) ?? []), fate]);
    }
  };
  const loops = Array.from({ length: count }, loop);
  return Object.assign(claimants, {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  });
}

async function nextClaim({ group }: Fleet, signal: AbortSignal): Promise<PollAnswer | null> {
  try {
    return (await group.poll(POLL_SECONDS, signal)).assignment;
  } catch {
    await sleep(100);
    return null;
  }
}

/** A dead runner takes no time: its place claims the next run at once. */
async function meet(fleet: Fleet, claim: PollAnswer, fate: Fate): Promise<Fate> {
  if (fate === "silent") return fate;
  const runner = await fleet.runner(claim);
  await runner.ready();
  if (fate === "ready") return fate;
  await runner.accept();
  if (fate === "answer_lost") return fate;
  if (fate === "repeated") {
    const refused = await runner.accept().then(
      () => "taken",
      (error: unknown) => (error instanceof ServiceRefused ? error.code : String(error)),
    );
    if (refused !== "accept_response_undeliverable") throw new Error(`the second accept was ${refused}`);
    return fate;
  }
  await runner.done(NO_CHANGES);
  return fate;
}
