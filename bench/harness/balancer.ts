/** One address in front of several copies of the API, as a load balancer gives: a copy that refuses is passed over. */
import { connect, createServer, type Socket } from "node:net";
import type { BenchContext } from "./bench.ts";

/**
 * Answers on a free port of loopback, connection by connection, until the bench ends. Returns the base URL.
 * @param baseUrls read for each connection, so that copies may come and go
 */
export async function startBalancer({ closers }: BenchContext, baseUrls: readonly string[]): Promise<string> {
  const open = new Set<Socket>();
  let turn = 0;
  const server = createServer((client) => {
    open.add(client);
    client.on("close", () => open.delete(client));
    client.on("error", () => {});
    const first = turn++;
    const ports = baseUrls.map((url) => Number(new URL(url).port));
    pass(
      client,
      [...ports.keys()].map((i) => ports[(first + i) % ports.length] as number),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.add(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

/** Once connected, either side's end is the other's: a killed copy is a broken connection for its clients. */
function pass(client: Socket, [port, ...others]: number[]): void {
  if (port === undefined) return void client.destroy();
  const upstream = connect(port, "127.0.0.1");
  upstream.once("connect", () => {
    upstream.off("error", tryNext);
    upstream.on("error", () => client.destroy());
    upstream.on("close", () => client.destroy());
    client.on("close", () => upstream.destroy());
    client.pipe(upstream).pipe(client);
  });
  const tryNext = () => pass(client, others);
  upstream.once("error", tryNext);
}
