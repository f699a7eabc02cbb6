import { expect, test } from "vitest";
import { wayToService } from "./serviceWay.ts";

const SERVICE = "http://service.example:8080";
const proxy = "http://proxy.example";

test.each([
  ["no proxy", {}, {}],
  ["one for the other protocol", { HTTPS_PROXY: proxy }, {}],
  ["the runner's own", { http_proxy: proxy }, { HTTP_PROXY: proxy }],
])("%s changes nothing", (_, env, own) => expect(wayToService(env, SERVICE, own)).toEqual({}));

test.each([
  [{ HTTP_PROXY: proxy }, "service.example"],
  [{ http_proxy: proxy, no_proxy: "a.example,b.example" }, "a.example,b.example,service.example"],
  [{ HTTP_PROXY: proxy, NO_PROXY: "a.example", no_proxy: "unread.example" }, "a.example,service.example"],
])("with a context's proxy, %j, the engine goes to the service directly", (env, direct) =>
  expect(wayToService(env, SERVICE, {})).toEqual({ NO_PROXY: direct, no_proxy: direct }),
);

test("an address of IPv6 stands without its brackets", () => {
  expect(wayToService({ HTTPS_PROXY: proxy }, "https://[2001:db8::1]:8443", {}).NO_PROXY).toBe("2001:db8::1");
});

test("with two proxies there is no way that is right", () => {
  const env = { HTTP_PROXY: proxy };
  expect(() => wayToService(env, SERVICE, { http_proxy: "http://other.example" })).toThrow("HTTP_PROXY names another");
  expect(wayToService({ ...env, NO_PROXY: "x" }, SERVICE, env)).toEqual({});
});
