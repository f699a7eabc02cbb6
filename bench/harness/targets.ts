/** Many notification targets behind one HTTP server: each path is one, and answers as it is told. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BenchContext } from "./bench.ts";

/** What a request is answered: a status, `cut` after it was read, or `hang`. */
export type Answer = number | "cut" | "hang";

export type Arrival = { target: string; deliveryId: string; body: string; at: number; answer: Answer };

export type Targets = {
  /** Where notifications for that target go. */
  url(target: string): string;
  arrivals: Arrival[];
};

export async function startTargets({ closers }: BenchContext, answer: (target: string) => Answer): Promise<Targets> {
  const arrivals: Arrival[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const target = (request.url ?? "").slice(1);
      const given = answer(target);
      const deliveryId = String(request.headers["x-svc-delivery"]);
      arrivals.push({
        target,
        deliveryId,
        body: Buffer.concat(chunks).toString(),
        at: performance.now(),
        answer: given,
      });
      if (given === "cut") request.socket.destroy();
      else if (given !== "hang") response.writeHead(given).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.add(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: (target) => `http://127.0.0.1:${port}/${target}`, arrivals };
}
