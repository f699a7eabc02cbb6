/**
 * Every way we know to write an address that must not be reached, against canaries that listen there: none hears
 * anything.
 */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import * as v from "valibot";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cidrs } from "../settings/formats.ts";
import { createEgress, type Egress } from "./egress.ts";
import type { Resolve } from "./resolver.ts";

const canaries: Server[] = [];
let heard = 0;
let port: number;
let egress: Egress;

/**
 * Names answer what an attacker's name server would: the loopback address, or a public address at first and then that.
 */
const asked = new Map<string, number>();
const hostile: Resolve = async (host) => {
  const times = (asked.get(host) ?? 0) + 1;
  asked.set(host, times);
  const answers: Record<string, string[]> = {
    "mapped.attacker.test": ["::ffff:127.0.0.1"],
    "nat64.attacker.test": ["64:ff9b::7f00:1"],
    "six.attacker.test": ["::1"],
    "many.attacker.test": ["::1", "127.0.0.1", "0.0.0.0"],
    "metadata.attacker.test": ["169.254.169.254", "fd00:ec2::254"],
  };
  return (answers[host] ?? ["127.0.0.1"]).map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
};

beforeAll(async () => {
  for (const host of ["0.0.0.0", "::1"]) {
    const canary = createServer((_request, response) => response.end("canary"));
    canary.on("connection", () => {
      heard += 1;
    });
    canary.listen(port ?? 0, host);
    await once(canary, "listening");
    port = (canary.address() as AddressInfo).port;
    canaries.push(canary);
  }
  // The canaries' port is as good as any: what saves them is their address.
  egress = createEgress({ allow: v.parse(cidrs, ""), ports: [80, 443, port] }, hostile);
});
afterAll(async () => {
  await egress.close();
  for (const canary of canaries) canary.close();
});

const INTERNAL = [
  "127.0.0.1",
  "127.0.0.2",
  "127.1.2.3",
  "127.255.255.254",
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "10.255.255.255",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.0.1",
  "192.168.255.255",
  "169.254.169.254",
  "169.254.170.2",
  "100.64.0.1",
  "100.100.100.200",
  "192.0.0.192",
  "198.18.0.1",
  "168.63.129.16",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
];

const hex = (part: number) => part.toString(16).padStart(2, "0");
const octal = (part: number) => `0${part.toString(8)}`;

/** One version 4 address in every form a parser somewhere takes, and inside every version 6 form that carries one. */
function forms(address: string): string[] {
  const [a, b, c, d] = address.split(".").map(Number) as [number, number, number, number];
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const pair = `${hex(a)}${hex(b)}:${hex(c)}${hex(d)}`;
  return [
    address,
    `${address}.`,
    String(whole),
    `0x${whole.toString(16)}`,
    `0${whole.toString(8)}`,
    [a, b, c, d].map(octal).join("."),
    [a, b, c, d].map((part) => `0x${hex(part)}`).join("."),
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `0x${hex(a)}.${b}.${octal(c)}.${d}`,
    [a, b, c, d].map((part) => String(part).padStart(3, "0")).join("."),
    `[::ffff:${address}]`,
    `[::ffff:${pair}]`,
    `[0:0:0:0:0:ffff:${pair}]`,
    `[::ffff:0:${address}]`,
    `[::${address}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b:1::${pair}]`,
    `[2002:${pair}::1]`,
    `[2001:0:${pair}::1]`,
    [...address].map((digit) => (digit === "." ? "\u3002" : String.fromCodePoint(0xff10 + Number(digit)))).join(""),
    [...address].map((digit) => (digit === "." ? "." : `%3${digit}`)).join(""),
  ];
}

const OTHERS = [
  "[::1]",
  "[::]",
  "[0:0:0:0:0:0:0:1]",
  "[::1%25lo]",
  "[::1%lo]",
  "[fe80::1]",
  "[fe80::1%25eth0]",
  "[fc00::1]",
  "[fd00:ec2::254]",
  "[ff02::1]",
  "[fec0::1]",
  "[100::1]",
  "[2001:db8::1]",
  "[4000::1]",
  "127.1",
  "127.0.1",
  "0",
  "00",
  "0x0",
  "1.1.1.1@127.0.0.1",
  "user:pass@127.0.0.1",
  "public.example@127.0.0.1",
  "127.0.0.1#@public.example",
  "127.0.0.1?@public.example",
  "127.0.0.1\\@public.example",
  "localhost",
  "localhost.",
  "LOCALHOST",
  "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
  "localtest.attacker.test",
  "xn--lcalhost-c4a.attacker.test",
  "mapped.attacker.test",
  "nat64.attacker.test",
  "six.attacker.test",
  "many.attacker.test",
  "metadata.attacker.test",
  "①②⑦.⓪.⓪.①",
  "127。0。0。1",
  "127%2e0%2e0%2e1",
  "127.0.0.1%00.public.example",
  "127.0.0.1%09",
  "%31%32%37.0.0.1",
  "metadata.google.internal",
  "metadata",
  "instance-data",
];

const hosts = [...new Set([...INTERNAL.flatMap(forms), ...OTHERS])];

it(`none of ${hosts.length} forms reaches anything`, { timeout: 60_000 }, async () => {
  expect(hosts.length).toBeGreaterThan(150);
  const reached: string[] = [];
  for (const host of hosts) {
    for (const url of [`http://${host}:${port}/`, `https://${host}:${port}/`]) {
      // What the URL's own rules make of the text may be a public name or address; it resolves to a canary all the
      // same.
      const answer = await egress.request({ url, timeoutMs: 2_000 }).catch((error: Error) => error.name);
      if (typeof answer !== "string") reached.push(url);
    }
    const bare = host.replace(/^\[|\]$/g, "");
    const checked = await egress.checkHost(bare, port).catch((error: Error) => error.name);
    if (typeof checked !== "string") reached.push(`checkHost ${bare}`);
  }
  for (const scheme of [
    "file:///etc/passwd",
    "gopher://127.0.0.1/",
    "ftp://127.0.0.1/",
    "data:text/plain,x",
    "dict://127.0.0.1:1/",
    "unix:/var/run/docker.sock",
  ]) {
    const answer = await egress.request({ url: scheme }).catch((error: Error) => error.name);
    expect([scheme, answer]).toEqual([scheme, "EgressRefusedError"]);
  }
  expect(reached).toEqual([]);
  expect(heard).toBe(0);
});

it("a name that answers a public address first and an internal one afterwards is judged by the answer that is used", async () => {
  const answers = ["192.0.2.1", "127.0.0.1", "127.0.0.1"];
  const rebinding = createEgress({ allow: v.parse(cidrs, ""), ports: [port] }, async () => [
    { address: answers.shift() ?? "127.0.0.1", family: 4 },
  ]);
  for (let tried = 0; tried < 4; tried++) {
    const answer = await rebinding
      .request({ url: `http://rebind.attacker.test:${port}/`, timeoutMs: 1_000 })
      .catch((error: Error) => error.name);
    expect(answer).toBe("EgressRefusedError");
  }
  await rebinding.close();
  expect(heard).toBe(0);
});

it.each([301, 302, 303, 307, 308])("a redirect %i to a canary is an answer, not a way", async (status) => {
  const door = createServer((request, response) => {
    const hop = Number(request.url?.slice(1) ?? 0);
    const { port: own } = door.address() as AddressInfo;
    const next = hop < 3 ? `http://127.0.0.3:${own}/${hop + 1}` : `http://127.0.0.1:${port}/`;
    response.writeHead(status, { location: next }).end();
  });
  door.listen(0, "127.0.0.3");
  await once(door, "listening");
  const { port: own } = door.address() as AddressInfo;
  const through = createEgress({ allow: v.parse(cidrs, `127.0.0.3:${own}`), ports: [443] });
  for (const hop of [0, 3]) {
    const answer = await through.request({ url: `http://127.0.0.3:${own}/${hop}` });
    expect([answer.status, answer.headers.location]).toEqual([status, expect.stringContaining("http://127.0.0.")]);
  }
  await through.close();
  door.close();
  expect(heard).toBe(0);
});
