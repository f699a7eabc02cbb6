/** One burst, and what others see until nothing of it is left. */
import { until } from "../harness/until.ts";
import type { Burst } from "./busy.ts";
import type { Beside } from "./judge.ts";
import { type Others, observe } from "./observe.ts";
import { WATCHED } from "./sizes.ts";
import { backlog, type World } from "./world.ts";

const OVER_MS = 600_000;
const LOOK_MS = 200;
/** A task that waited for less was taken as soon as a worker came by. */
const AT_ONCE_MS = 100;

export async function besideBurst(world: World, others: Others, burst: Burst): Promise<Omit<Beside, "name">> {
  await others.neighbour.prepare(WATCHED.beside);
  const over = new AbortController();
  const observing = observe(others, WATCHED.beside, over.signal);
  const following = follow(world, burst).finally(() => over.abort());
  const [observed, followed] = await Promise.all([observing, following]);
  return { observed, answers: burst.answers, took: burst.took, ...followed };
}

type Followed = Pick<Beside, "seconds" | "mostMessages" | "oldestTaskMs">;

async function follow(world: World, burst: Burst): Promise<Followed> {
  const started = performance.now();
  const seen: Followed = { seconds: 0, mostMessages: 0, oldestTaskMs: 0 };
  let sent = false;
  const sending = burst.send().then(() => {
    sent = true;
  });
  const isOver = async () => {
    const { messages, oldestTaskMs } = await backlog(world);
    seen.mostMessages = Math.max(seen.mostMessages, messages);
    seen.oldestTaskMs = Math.max(seen.oldestTaskMs, oldestTaskMs);
    return sent && messages === 0 && oldestTaskMs < AT_ONCE_MS && (await burst.isOver());
  };
  const failing = sending.then(() => new Promise<never>(() => {}));
  await Promise.race([until("the burst to be over", OVER_MS, isOver, LOOK_MS), failing]);
  return { ...seen, seconds: (performance.now() - started) / 1_000 };
}
