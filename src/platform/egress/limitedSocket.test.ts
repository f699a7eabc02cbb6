/** Of what comes, no byte more than the limit is handed on; what goes out and how it ends are as they were. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LimitedSocket } from "./limitedSocket.ts";

const MOST = 100_000;
const server = createServer();
beforeAll(async () => {
  server.on("connection", (socket) => socket.on("error", () => {}));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => void server.close());

async function pair(): Promise<{ peer: Socket; ours: Socket; limited: LimitedSocket }> {
  const accepted = once(server, "connection");
  const ours = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [[peer]] = await Promise.all([accepted, once(ours, "connect")]);
  return { peer, ours, limited: new LimitedSocket(ours, MOST) };
}

it("hands on all of what is within the limit, and its end", async () => {
  const { peer, limited } = await pair();
  peer.end("x".repeat(MOST));
  expect(Buffer.concat(await limited.toArray()).length).toBe(MOST);
});

it.each([1, 65_536, 50_000_000])("hands on no more than the limit when %i bytes more come", async (more) => {
  const { peer, ours, limited } = await pair();
  peer.write("x".repeat(MOST));
  peer.write(Buffer.alloc(more));
  let handedOn = 0;
  limited.on("data", (chunk: Buffer) => {
    handedOn += chunk.length;
  });
  await expect(once(limited, "end")).rejects.toThrow(`more than ${MOST} bytes came`);
  expect(handedOn).toBeLessThanOrEqual(MOST);
  expect(ours.destroyed).toBe(true);
});

it("takes in no more than somebody reads", async () => {
  const { peer, ours, limited } = await pair();
  peer.write(Buffer.alloc(90_000));
  await once(limited, "readable");
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(ours.isPaused()).toBe(true);
  limited.destroy();
  await once(peer, "close");
});

it("sends what is written, and says what the connection died of", async () => {
  const { peer, limited } = await pair();
  limited.write("hello");
  expect(String((await once(peer, "data"))[0])).toBe("hello");
  const failed = once(limited, "end");
  limited.resume();
  peer.resetAndDestroy();
  await expect(failed).rejects.toMatchObject({ code: "ECONNRESET" });
});
