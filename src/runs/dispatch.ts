/** Puts the waiting room and its hints together for a process that serves polls. */
import type { Db } from "../db/client.ts";
import type { DispatchLimits } from "./claim.ts";
import { Dispatcher } from "./dispatcher.ts";
import { HintListener, HintSender } from "./pendingHints.ts";

export type Dispatch = {
  dispatcher: Dispatcher;
  /** `Service.runsPending`: wake the pollers of this process at once and hint the others. */
  runsPending(selectorIds: string[]): void;
  /** Stop accepting hints. Call `dispatcher.close()` first, while the server still answers. */
  close(): Promise<void>;
};

/** @param db the pool of the runner routes; @param databaseUrl for the one listening connection */
export function openDispatch(db: Db, databaseUrl: string, limits: DispatchLimits): Dispatch {
  const dispatcher = new Dispatcher(db, limits);
  const sender = new HintSender(db);
  const listener = new HintListener(databaseUrl, () => dispatcher.hint());
  listener.start();
  return {
    dispatcher,
    runsPending() {
      dispatcher.hint();
      sender.send();
    },
    async close() {
      sender.close();
      await listener.close();
    },
  };
}
