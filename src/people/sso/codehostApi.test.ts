import { expect, it } from "vitest";
import { nextPage } from "./codehostApi.ts";

const BASE = "https://api.github.com";

it("finds the next page among the links of an answer", () => {
  const link = (rel: string, page: number) => `<${BASE}/user/teams?per_page=100&page=${page}>; rel="${rel}"`;
  expect(nextPage([link("prev", 1), link("next", 3), link("last", 9)].join(", "), BASE)).toBe(
    `${BASE}/user/teams?per_page=100&page=3`,
  );
  expect(nextPage([link("prev", 1), link("first", 1)].join(", "), BASE)).toBeNull();
  expect(nextPage(undefined, BASE)).toBeNull();
  expect(nextPage("", BASE)).toBeNull();
});

it("never follows it to another host", () => {
  for (const url of [
    "https://evil.test/x",
    "http://api.github.com/x",
    "https://api.github.com:444/x",
    "//evil.test",
    "x",
  ]) {
    expect(() => nextPage(`<${url}>; rel="next"`, BASE)).toThrow("elsewhere");
  }
});
