/** What is read again when the service hints at a change: the deployment at once, lists at most twice a second. */
import type { QueryClient, QueryKey } from "@tanstack/react-query";
import { keys } from "./keys.ts";

export type Hint = { deployment: string; stack: string; status: string; version: string };

const LISTS_EVERY_MS = 500;

/** @returns what takes a hint, or null for "all may have changed": there were moments in which no hint could arrive */
export function hintedReads(client: QueryClient, org: string): (hint: Hint | null) => void {
  const due = new Map<string, QueryKey>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    for (const queryKey of due.values()) void client.invalidateQueries({ queryKey });
    timer = due.size > 0 ? setTimeout(flush, LISTS_EVERY_MS) : undefined;
    due.clear();
  };
  const soon = (queryKey: QueryKey) => {
    due.set(queryKey.join("/"), queryKey);
    // The first of a burst goes at once, the rest together.
    if (timer === undefined) flush();
  };
  return (hint) => {
    if (hint === null) {
      void client.invalidateQueries({ queryKey: keys.org(org), predicate: ({ queryKey }) => !isFinal(queryKey) });
      return;
    }
    void client.invalidateQueries({ queryKey: keys.deployment(org, hint.stack, hint.deployment) });
    soon(keys.stackWork(org, hint.stack));
    soon(keys.deployments(org));
    soon(keys.overview(org));
    soon(keys.stackList(org));
    void client.invalidateQueries({ queryKey: keys.stack(org, hint.stack), exact: true });
  };
}

const FINAL: ReadonlySet<unknown> = new Set(["plan", "log", "stateChanges"]);

/** Plans, logs that are over and what differs between two states are never read again. */
function isFinal(queryKey: QueryKey): boolean {
  return FINAL.has(queryKey[2]);
}
