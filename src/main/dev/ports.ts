/** Free TCP ports on loopback. */
import { randomInt } from "node:crypto";
import { createServer, type Server } from "node:net";

const HOST = "127.0.0.1";

/** Below the range that systems take for outgoing connections: a port that is free now stays so until it is used. */
const FIRST = 16_000;
const LAST = 32_000;
const TRIES = 100;

/**
 * Pick `count` different free ports. Held open together until all are known, so that none is given twice; another
 * program may still take one before it is used, so servers are started with a second try.
 */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listenSomewhere));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

async function listenSomewhere(): Promise<Server> {
  for (let tries = 1; tries < TRIES; tries += 1) {
    const server = await listen(randomInt(FIRST, LAST)).catch(() => null);
    if (server !== null) return server;
  }
  return listen(0);
}

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(port, HOST, () => resolve(server));
  });
}

/** Whether nobody listens on this port of loopback right now. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, HOST, () => server.close(() => resolve(true)));
  });
}
