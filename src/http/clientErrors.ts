/** Requests that never become one: what Node's parser refuses is answered as a problem too, and the connection ends. */
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { ServerType } from "@hono/node-server";

const REFUSALS: Readonly<Record<string, { status: number; code: string; detail: string }>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: "headers_too_large",
    detail: "The address and the header fields are too large together.",
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: "malformed_request", detail: "The request took too long to arrive." },
};
const MALFORMED = { status: 400, code: "malformed_request", detail: "The request is not what HTTP allows." };

export function answerClientErrors(server: ServerType): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const { status, ...told } = REFUSALS[error.code ?? ""] ?? MALFORMED;
    const body = JSON.stringify({ type: "about:blank", title: STATUS_CODES[status], status, ...told });
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      "content-type: application/problem+json",
      `content-length: ${Buffer.byteLength(body)}`,
      "cache-control: no-store",
      "connection: close",
    ];
    socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  });
}
