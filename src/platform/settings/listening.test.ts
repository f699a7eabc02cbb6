/** A second program of a kind on one machine. */
import { createServer, type Server } from "node:net";
import * as v from "valibot";
import { afterEach, expect, it } from "vitest";
import { listen } from "./formats.ts";
import { listenAt } from "./listening.ts";

const open: Server[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => new Promise((closed) => server.close(closed)))));

const on = (port: number) =>
  new Promise<number>((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      open.push(server);
      resolve((server.address() as { port: number }).port);
    });
  });

it.each([
  ["127.0.0.1:8082", { host: "127.0.0.1", port: 8082 }],
  ["127.0.0.1:8082?", { host: "127.0.0.1", port: 8082, orFree: true }],
  ["[::1]:0", { host: "::1", port: 0 }],
])("%s", (text, expected) => expect(v.parse(listen, text)).toEqual(expected));

it("takes another port where that is as good, and fails where one was asked for", async () => {
  const port = await on(0);
  const second = await listenAt({ host: "127.0.0.1", port, orFree: true }, on);
  expect(second).not.toBe(port);
  await expect(listenAt({ host: "127.0.0.1", port }, on)).rejects.toThrow("EADDRINUSE");
});

it("another failure is no reason to go elsewhere", async () => {
  const fails = () => Promise.reject(Object.assign(new Error("no"), { code: "EACCES" }));
  await expect(listenAt({ host: "127.0.0.1", port: 1, orFree: true }, fails)).rejects.toThrow("no");
});
