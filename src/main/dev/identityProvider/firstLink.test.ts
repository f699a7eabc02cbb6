import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { FirstLink } from "./firstLink.ts";

const START = "http://127.0.0.1:1/start";
const MINUTE = 60_000;

/** @returns the cookie that opening it gave, if any */
function open(link: FirstLink, path: string, { method = "GET", now = 0 } = {}): string | undefined {
  let sent: Record<string, string> = {};
  const response = {
    writeHead(_status: number, headers: Record<string, string>) {
      sent = headers;
      return { end() {} };
    },
  } as unknown as ServerResponse;
  expect(link.open({ url: path, method } as IncomingMessage, response, START, now)).toBe(true);
  expect(sent.location).toBe(START);
  return sent["set-cookie"]?.split(";")[0];
}
const carrying = (cookie = "") => ({ headers: { cookie: `other=1; ${cookie}` } }) as IncomingMessage;

test("whoever opens it first signs in by it, once", () => {
  const link = new FirstLink(0);
  expect(open(link, link.path, { method: "HEAD" })).toBeUndefined();
  const cookie = open(link, link.path);
  expect(open(link, link.path)).toBeUndefined();
  expect(link.take(carrying(), 0)).toBe(false);
  expect(link.take(carrying(cookie), 0)).toBe(true);
  expect(link.take(carrying(cookie), 0)).toBe(false);
});

test("neither a guess nor a late visit signs anybody in", () => {
  const link = new FirstLink(0);
  expect(open(link, `${link.path.slice(0, -1)}!`)).toBeUndefined();
  expect(link.take(carrying("first_sign_in=null"), 0)).toBe(false);
  expect(open(link, link.path, { now: 15 * MINUTE })).toBeUndefined();
  const used = new FirstLink(0);
  const cookie = open(used, used.path, { now: 14 * MINUTE });
  expect(used.take(carrying(cookie), 15 * MINUTE)).toBe(false);
});

test("other addresses of the provider are none of it", () => {
  const link = new FirstLink();
  expect(link.open({ url: "/interaction/x" } as IncomingMessage, {} as ServerResponse, START)).toBe(false);
});
