/** The waiting room of a process that serves polls, listening to the hints of other processes. */
import type { Db } from "../db/client.ts";
import type { DispatchLimits } from "./claim.ts";
import { Dispatcher } from "./dispatcher.ts";
import { HintListener } from "./pendingHints.ts";

export type Dispatch = {
  /** `dispatcher.hint()` belongs into this process's `Service.runsPending`, beside the hint to the others. */
  dispatcher: Dispatcher;
  /** Answer all waiting polls, while the server still runs, and stop listening. */
  close(): Promise<void>;
};

/** @param db the pool of the runner routes; @param databaseUrl for the one listening connection */
export function openDispatch(db: Db, databaseUrl: string, limits: DispatchLimits): Dispatch {
  const dispatcher = new Dispatcher(db, limits);
  const listener = new HintListener(databaseUrl, () => dispatcher.hint());
  listener.start();
  return {
    dispatcher,
    async close() {
      dispatcher.close();
      await listener.close();
    },
  };
}
