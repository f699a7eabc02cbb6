import { expect, it } from "vitest";
import { type Dialect, repositoryCalls } from "./client.ts";
import type { HostCredentials } from "./credentials.ts";
import type { HostAnswer, Transport } from "./transport.ts";

const BASE = "https://git.example/api";
const credentials = { authorization: async () => null, inPlaceOf: async () => null } as unknown as HostCredentials;
const calls = (transport: Transport, baseUrl = BASE) =>
  repositoryCalls(transport, credentials, { owner: "o", name: "r", baseUrl });

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

it("a next page is the API's in whatever way its address is written, and no other place", async () => {
  const follow = async (baseUrl: string, next: string) => {
    const routes: string[] = [];
    const transport: Transport = async ({ route }) => {
      routes.push(route);
      return { status: 200, data: [], link: routes.length === 1 ? `<${next}>; rel="next"` : null };
    };
    await calls(transport, baseUrl).list("/pulls", {});
    return routes[1];
  };
  for (const base of ["https://Git.Example/api", "https://git.example:443/api", "HTTPS://git.example/api"]) {
    expect(await follow(base, `${BASE}/more?page=2`)).toBe(`GET ${BASE}/more?page=2`);
  }
  for (const elsewhere of [
    "https://git.example/apis/more",
    "https://git.example/api/../other",
    "https://git.example:8443/api/more",
    "http://git.example/api/more",
    "https://evil.example/api/more",
    "https://git.example/api/{more}",
    "https://u:p@git.example/api/more",
    "/api/more",
  ]) {
    await expect(follow(BASE, elsewhere), elsewhere).rejects.toMatchObject({ failure: "nonsense" });
  }
});

/** As Gitea: no list tells its next page, some tell how many entries there are. */
function counted(pageOf: (page: number) => unknown[], total: number | null) {
  let asked = 0;
  const transport: Transport = async ({ parameters: { page = 1 } = {} }) => {
    asked += 1;
    return { status: 200, link: null, data: pageOf(Number(page)), total };
  };
  const place = { owner: "o", name: "r", baseUrl: BASE };
  const dialect = { below: "/r", named: {}, pageSize: ["limit", 50], pages: "counted" } satisfies Dialect;
  const host = repositoryCalls(transport, credentials, place, dialect);
  return { list: () => host.list("", {}), asked: () => asked };
}
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
const paged =
  (count: number, size = 50) =>
  (page: number) =>
    numbers(count).slice((page - 1) * size, page * size);

it.each([
  ["that is told with its count", 120, 120, 3],
  ["that is told without", 120, null, 4],
  ["whose count is wrong", 120, 1, 4],
  ["of one page", 7, 7, 1],
  ["that is empty", 0, 0, 1],
] as const)("a list without addresses of its pages %s is read to its end", async (_, count, total, calls_) => {
  const { list, asked } = counted(paged(count), total);
  expect(await list()).toEqual({ items: numbers(count), complete: true });
  expect(asked()).toBe(calls_);
});

it("and so is one whose pages are smaller than asked for, or hold entries that are not shown", async () => {
  expect(await counted(paged(45, 10), 45).list()).toEqual({ items: numbers(45), complete: true });
  const isShown = (entry: number) => entry < 20 || entry >= 150;
  const hidden = counted((page) => paged(160)(page).filter(isShown), 160);
  expect(await hidden.list()).toEqual({ items: numbers(160).filter(isShown), complete: true });
});

it("one that has no pages is whole, unless more was counted", async () => {
  expect(await counted(() => [1, 2], null).list()).toEqual({ items: [1, 2], complete: true });
  expect(await counted(() => [1, 2], 3).list()).toEqual({ items: [1, 2], complete: false });
});
