/** Where notifications go: an HTTP server that keeps what it gets and answers as a test says. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Received = { headers: IncomingHttpHeaders; body: string; at: number };
/** `hang`: never answered. `reset`: the connection is cut. */
export type TargetReply = { status: number; headers?: Record<string, string>; body?: Buffer } | "hang" | "reset";

export class NotificationTarget {
  readonly received: Received[] = [];
  /** Connections made, also those that sent nothing. */
  connections = 0;
  /** Connections that were open at one moment, at most. */
  mostAtOnce = 0;
  #open = 0;
  answer: (request: Received) => TargetReply = () => ({ status: 204 });
  readonly #server = createServer((request, response) => void this.#take(request, response));

  static async start(host = "127.0.0.1"): Promise<NotificationTarget> {
    const target = new NotificationTarget();
    target.#server.on("connection", (socket) => {
      target.connections += 1;
      target.#open += 1;
      target.mostAtOnce = Math.max(target.mostAtOnce, target.#open);
      socket.once("close", () => {
        target.#open -= 1;
      });
    });
    await new Promise<void>((resolve) => target.#server.listen(0, host, resolve));
    return target;
  }

  get url(): string {
    const { address, port } = this.#server.address() as AddressInfo;
    return `http://${address}:${port}/hooks/secret-path`;
  }

  /** What arrived, read as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  bodies(): any[] {
    return this.received.map(({ body }) => JSON.parse(body));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const received = { headers: request.headers, body: Buffer.concat(chunks).toString("utf8"), at: Date.now() };
    this.received.push(received);
    const reply = this.answer(received);
    if (reply === "hang") return;
    if (reply === "reset") return void request.socket.destroy();
    response.writeHead(reply.status, reply.headers ?? {}).end(reply.body);
  }
}
