/** A name server of our own, some of whose names it never answers. */
import { createSocket, type Socket } from "node:dgram";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ownResolver } from "./resolver.ts";
import { candidates, hostsEntries, searchRules } from "./resolverFiles.ts";

const KNOWN: Record<string, { 1?: string; 28?: string }> = {
  "two.test": { 1: "192.0.2.1", 28: "2001:db8::1" },
  "six.test": { 28: "2001:db8::2" },
  "git.corp.test": { 1: "192.0.2.3" },
};

let socket: Socket;
let folder: string;
let asked: string[];
let server: string;

beforeAll(async () => {
  asked = [];
  socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const reply = answerTo(query);
    if (reply !== null) socket.send(reply, port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  server = `127.0.0.1:${socket.address().port}`;
  folder = await mkdtemp(join(tmpdir(), "resolver-"));
  await writeFile(
    join(folder, "hosts"),
    "192.0.2.9 Listed.test # by hand\n2001:db8::9\tlisted.test other\nnonsense x\n",
  );
  await writeFile(join(folder, "resolv.conf"), "search a.test corp.test.\noptions timeout:1 ndots:2\n");
});
afterAll(async () => {
  socket.close();
  await rm(folder, { recursive: true });
});

function answerTo(query: Buffer): Buffer | null {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  const name = labels.join(".").toLowerCase();
  asked.push(name);
  if (name.endsWith("silent.test")) return null;
  const type = query.readUInt16BE(at + 1) as 1 | 28;
  const address = KNOWN[name]?.[type];
  const question = query.subarray(12, at + 5);
  const head = Buffer.from([
    query[0]!,
    query[1]!,
    0x81,
    KNOWN[name] ? 0x80 : 0x83,
    0,
    1,
    0,
    address ? 1 : 0,
    0,
    0,
    0,
    0,
  ]);
  if (address === undefined) return Buffer.concat([head, question]);
  const data =
    type === 1
      ? Buffer.from(address.split(".").map(Number))
      : Buffer.from([0x20, 1, 0x0d, 0xb8, ...Array(11).fill(0), Number(address.at(-1))]);
  const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length]);
  return Buffer.concat([head, question, record, data]);
}

const resolver = (giveUpMs = 3_000) =>
  ownResolver({
    hostsFile: join(folder, "hosts"),
    resolvConf: join(folder, "resolv.conf"),
    servers: [server],
    giveUpMs,
  });

it("finds both kinds of addresses, version 4 first", async () => {
  expect(await resolver()("two.test")).toEqual([
    { address: "192.0.2.1", family: 4 },
    { address: "2001:db8::1", family: 6 },
  ]);
  expect(await resolver()("six.test")).toEqual([{ address: "2001:db8::2", family: 6 }]);
});

it("reads the hosts file, and never asks a server for localhost", async () => {
  const listed = [
    { address: "192.0.2.9", family: 4 },
    { address: "2001:db8::9", family: 6 },
  ];
  expect(await resolver()("LISTED.test.")).toEqual(listed);
  expect((await resolver()("a.localhost")).map(({ address }) => address)).toEqual(["127.0.0.1", "::1"]);
  expect(asked).not.toContain("a.localhost");
});

it("goes through the search domains, and tells what is not there", async () => {
  expect(await resolver()("git")).toEqual([{ address: "192.0.2.3", family: 4 }]);
  await expect(resolver()("git.")).rejects.toMatchObject({ code: "ENOTFOUND" });
});

it("32 silent names hold up neither another name nor the system's lookups, and are given up", {
  timeout: 20_000,
}, async () => {
  const silent = Array.from({ length: 32 }, (_, i) => resolver(1_500)(`n${i}.silent.test.`));
  const ended = Promise.allSettled(silent);
  await expect.poll(() => asked.filter((name) => name.endsWith("silent.test")).length).toBeGreaterThan(30);
  const began = performance.now();
  await Promise.all([resolver()("two.test"), lookup("localhost")]);
  expect(performance.now() - began).toBeLessThan(1_000);
  expect(new Set((await ended).map((one) => one.status === "rejected" && one.reason.name))).toEqual(
    new Set(["EgressTimeoutError"]),
  );
});

it("the two files, line by line", () => {
  expect([...hostsEntries("# none\n\n127.0.0.1 a B\n::1 a\n1.2.3 c\n")]).toEqual([
    [
      "a",
      [
        { address: "127.0.0.1", family: 4 },
        { address: "::1", family: 6 },
      ],
    ],
    ["b", [{ address: "127.0.0.1", family: 4 }]],
  ]);
  expect(searchRules("domain x\nsearch a b . ; c\noptions rotate ndots:5")).toEqual({ domains: ["a", "b"], ndots: 5 });
  expect(searchRules("")).toEqual({ domains: [], ndots: 1 });
  const rules = { domains: ["x", "y."], ndots: 2 };
  expect(candidates("a", rules)).toEqual(["a.x", "a.y", "a"]);
  expect(candidates("a.b.c", rules)).toEqual(["a.b.c", "a.b.c.x", "a.b.c.y"]);
  expect(candidates("a.", rules)).toEqual(["a"]);
});
