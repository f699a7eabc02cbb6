/** A TCP proxy before a real server, to cut it off from one client while others go on. */
import type { AddressInfo } from "node:net";
import { createServer, connect as dial, type Socket } from "node:net";

export type TcpProxy = {
  port: number;
  /** How many connections it has passed on so far. */
  opened(): number;
  /** Break every connection and refuse new ones. */
  cut(): void;
  /** Keep connections open but pass nothing on, as a network that lost its way does. */
  stall(): void;
  /** The same, once its clients have sent so many bytes from now on. */
  stallAfter(bytes: number): void;
  mend(): void;
  close(): Promise<void>;
};

export async function startProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let opened = 0;
  let state: "open" | "cut" | "stalled" = "open";
  let left = Number.POSITIVE_INFINITY;
  const server = createServer((near) => {
    if (state === "cut") return void near.destroy();
    opened++;
    const far = dial(target.port, target.host);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    const pass = (to: Socket) => (bytes: Buffer) => void (state === "open" && to.write(bytes));
    near.on("data", (bytes) => {
      left -= bytes.length;
      if (left < 0) state = "stalled";
    });
    near.on("data", pass(far));
    far.on("data", pass(near));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    state = "cut";
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    opened: () => opened,
    cut,
    stall: () => {
      state = "stalled";
    },
    stallAfter: (bytes) => {
      left = bytes;
    },
    mend: () => {
      // What was stalled has lost bytes and is of no use any more.
      if (state === "stalled") for (const socket of sockets) socket.destroy();
      state = "open";
      left = Number.POSITIVE_INFINITY;
    },
    close: () => {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
