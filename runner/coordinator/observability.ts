import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Counter, Gauge, Registry } from "prom-client";
import { type ListenAt, listenAt } from "../../src/platform/settings/listening.ts";

/** What the coordinator counts, and whether it can serve. */
export class RunnerMetrics {
  readonly registry = new Registry();
  readonly version: string;
  readonly polls: Counter<"outcome">;
  readonly runs: Counter<"outcome">;
  readonly liveRuns: Gauge;
  readonly #staleAfterMs: number;
  #lastContact: number | null = null;
  #draining = false;

  /** `staleAfterMs`: how long after the last good answer of the service `/readyz` still says yes. */
  constructor(version: string, slots: number, staleAfterMs: number) {
    this.version = version;
    this.#staleAfterMs = staleAfterMs;
    const registers = [this.registry];
    this.polls = new Counter({
      name: "runner_polls_total",
      help: "Polls by outcome: assigned, empty, throttled, refused, unreachable",
      labelNames: ["outcome"],
      registers,
    });
    this.runs = new Counter({
      name: "runner_runs_total",
      help: "Ephemeral runners by how they ended: exit_0, exit_nonzero, killed, not_started",
      labelNames: ["outcome"],
      registers,
    });
    this.liveRuns = new Gauge({ name: "runner_live_runs", help: "Runs being worked on", registers });
    const slotsGauge = new Gauge({ name: "runner_slots", help: "Runs this coordinator works on at once", registers });
    slotsGauge.set(slots);
  }

  /** The service gave a good answer just now. */
  contact(): void {
    this.#lastContact = performance.now();
  }

  drain(): void {
    this.#draining = true;
  }

  /** Why no run can be claimed right now, or null. */
  notReady(): string | null {
    if (this.#draining) return "draining";
    if (this.#lastContact === null) return "no answer from the service yet";
    return performance.now() - this.#lastContact > this.#staleAfterMs ? "no answer from the service" : null;
  }
}

/** Serves /healthz, /readyz and /metrics. @returns the server and the address it listens on */
export async function serveObservability(
  metrics: RunnerMetrics,
  listen: ListenAt,
): Promise<{ server: Server; address: string }> {
  const server = createServer(async (request, response) => {
    const route = request.url?.split("?")[0];
    if (route === "/healthz") return void response.end("ok\n");
    if (route === "/readyz") {
      const reason = metrics.notReady();
      return void response.writeHead(reason === null ? 200 : 503).end(`${reason ?? "ok"}\n`);
    }
    if (route !== "/metrics") return void response.writeHead(404).end();
    response.setHeader("content-type", metrics.registry.contentType);
    response.end(await metrics.registry.metrics());
  });
  await listenAt(
    listen,
    (port) =>
      new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, listen.host, resolve);
      }),
  );
  const { address, port } = server.address() as AddressInfo;
  return { server, address: `${address.includes(":") ? `[${address}]` : address}:${port}` };
}
