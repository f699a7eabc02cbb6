/** Tells the operator which addresses were not called because nobody opened them. */
import { LRUCache } from "lru-cache";
import type { Logger } from "../telemetry/log.ts";
import type { OnRefused } from "./egress.ts";

/** Who is refused is often refused again at once, and whoever names addresses for fun must not fill the log. */
const REPORT_EVERY_MS = 60_000;
const REMEMBERED = 1_000;

/** One line a minute for each host and port. */
export function refusalLog(log: Pick<Logger, "warn">): OnRefused {
  const reported = new LRUCache<string, true>({ max: REMEMBERED, ttl: REPORT_EVERY_MS });
  return (host, port, addresses) => {
    const target = `${host}:${port}`;
    if (reported.has(target)) return;
    reported.set(target, true);
    log.warn(
      { host, port, addresses: addresses.slice(0, 10) },
      "an outbound call was refused: SVC_EGRESS_ALLOW opens addresses that are not public, and ports",
    );
  };
}
