/**
 * The Temporal SDK's own metrics (`temporal_*`), which its native part counts and serves on a loopback port of its own.
 * They are fetched on scrape and shown with ours, so that an operator scrapes one address per program.
 */

import type { AddressInfo } from "node:net";
import { createServer } from "node:net";

const FETCH_MS = 1_000;

/** A port that was free a moment ago: the SDK cannot say which one it took. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** Lines in Prometheus's format; none when they cannot be had. */
export async function sdkMetrics(port: number): Promise<string> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(FETCH_MS) });
    return answer.ok ? await answer.text() : "";
  } catch {
    return "";
  }
}
