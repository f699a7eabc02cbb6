import { expect, it } from "vitest";
import { repositoryCalls } from "./client.ts";
import type { HostCredentials } from "./credentials.ts";
import type { HostAnswer, Transport } from "./transport.ts";

const BASE = "https://git.example/api";
const credentials = { authorization: async () => null, inPlaceOf: async () => null } as unknown as HostCredentials;
const calls = (transport: Transport) =>
  repositoryCalls(transport, credentials, { owner: "o", name: "r", baseUrl: BASE });

/** Each page names the next one. */
function pages(page: Pick<HostAnswer, "data" | "bytes">, most: number): { transport: Transport; asked: () => number } {
  let asked = 0;
  const transport: Transport = async () => {
    asked += 1;
    const link = asked < most ? `<${BASE}/more?page=${asked + 1}>; rel="next"` : null;
    return { status: 200, link, ...page };
  };
  return { transport, asked: () => asked };
}

it("a list whose pages are too much together is given up before they fill the memory", async () => {
  const { transport, asked } = pages({ data: [{}], bytes: 16 * 1_048_576 }, 60);
  await expect(calls(transport).list("/pulls", {})).rejects.toMatchObject({ failure: "too_large" });
  expect(asked()).toBe(3);
});

it("a page may have very many entries", async () => {
  const { transport } = pages({ data: new Array(300_000).fill(0), bytes: 600_000 }, 2);
  const { items, complete } = await calls(transport).list("/pulls", {});
  expect([items.length, complete]).toEqual([600_000, true]);
});
