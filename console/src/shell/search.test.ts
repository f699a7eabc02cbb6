import { expect, test } from "vitest";
import { parseSearch, several, stringifySearch, textSearch } from "./search.ts";

test("searches are read and written as plain text", () => {
  expect(stringifySearch({ status: "failed,waiting", labels: "env=prod", q: undefined, mode: "" })).toBe(
    "?status=failed,waiting&labels=env%3Dprod",
  );
  expect(parseSearch("?status=failed,waiting&labels=env%3Dprod")).toEqual({
    status: "failed,waiting",
    labels: "env=prod",
  });
  expect(stringifySearch({})).toBe("");
});

test("names and values that a page does not know are dropped", () => {
  expect(textSearch("status", "mode")({ status: "failed", other: "x", mode: "" })).toEqual({ status: "failed" });
  expect(several("failed,none,waiting", ["failed", "waiting"])).toEqual(["failed", "waiting"]);
});
