/** The baseline of the confirm bench: an idle workflow whose Update runs one local activity that does nothing. */
import { condition, defineUpdate, proxyLocalActivities, setHandler } from "@temporalio/workflow";

const { nothing } = proxyLocalActivities<{ nothing(): Promise<void> }>({ startToCloseTimeout: 5_000 });

export async function idle(): Promise<void> {
  let over = false;
  setHandler(defineUpdate<void, []>("nothing"), async () => {
    await nothing();
    over = true;
  });
  // A timer like the one a deployment waits on, so that the Update also finds one to leave alone.
  await condition(() => over, "1 day");
}
