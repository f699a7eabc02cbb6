/** The workflows that others are measured against. */
import { condition, defineUpdate, proxyLocalActivities, setHandler, sleep } from "@temporalio/workflow";

const { nothing } = proxyLocalActivities<{ nothing(): Promise<void> }>({ startToCloseTimeout: 5_000 });

/** Of the confirm bench: idle until an Update that runs one local activity that does nothing. */
export async function idle(): Promise<void> {
  let over = false;
  setHandler(defineUpdate<void, []>("nothing"), async () => {
    await nothing();
    over = true;
  });
  // A timer like the one a deployment waits on, so that the Update also finds one to leave alone.
  await condition(() => over, "1 day");
}

/** Of the throughput bench: does nothing in so many workflow tasks, each but the first begun by a timer. */
export async function steps(tasks: number): Promise<void> {
  for (let task = 1; task < tasks; task++) await sleep(1);
}
