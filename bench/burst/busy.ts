/** The busy organizations: each has much to do at once, and says when the last of it is done. */
import { eachAtOnce } from "../harness/eachAtOnce.ts";
import { BURST } from "./sizes.ts";
import type { World } from "./world.ts";

/** How often each answer was given, by its status. */
export type Answers = Record<number, number>;

export type Burst = {
  /** Send all of it, and wait for the answers. */
  send(): Promise<void>;
  /** Whether all that follows from it has happened, as far as nothing else can tell. */
  isOver(): Promise<boolean>;
  /** So far. */
  answers: Answers;
  /** How long each request took, in milliseconds. */
  took: number[];
};

/** What is to be done first, so that only the burst itself is beside the others. */
export type Arrange = (world: World) => Promise<Burst>;

/** A burst of HTTP requests, so many open at once. @param call answers with the statuses to count */
export function requests<T>(of: readonly T[], call: (one: T) => Promise<number[]>): Burst {
  const answers: Answers = {};
  const took: number[] = [];
  return {
    answers,
    took,
    isOver: async () => true,
    send: () =>
      eachAtOnce(of, BURST.clients, async (one) => {
        const started = performance.now();
        for (const status of await call(one)) answers[status] = (answers[status] ?? 0) + 1;
        took.push(performance.now() - started);
      }),
  };
}
