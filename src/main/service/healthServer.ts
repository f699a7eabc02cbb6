/** Where a program answers `/healthz`, `/readyz` and `/metrics`: not the address that everybody reaches. */
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { answerClientErrors } from "../../http/clientErrors.ts";
import { listenAt } from "../../platform/settings/listening.ts";
import { healthRoutes, type ReadinessCheck } from "../../platform/telemetry/health.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import type { Config } from "../config/settings.ts";

export type HealthServer = { url: string; close(): Promise<void> };

export function startHealthServer(
  listen: Config["workerListen" | "apiHealthListen"],
  checks: Record<string, ReadinessCheck>,
  { scrape }: Metrics,
): Promise<HealthServer> {
  const { host } = listen;
  const { fetch } = healthRoutes(checks, scrape);
  const on = (port: number) =>
    new Promise<HealthServer>((resolve, reject) => {
      const server = serve({ fetch, hostname: host, port }, (address: AddressInfo) => {
        const name = host.includes(":") ? `[${host}]` : host;
        const close = () => new Promise<void>((closed) => server.close(() => closed()));
        resolve({ url: `http://${name}:${address.port}`, close });
      });
      answerClientErrors(server);
      server.on("error", reject);
    });
  return listenAt(listen, on);
}
