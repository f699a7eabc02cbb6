import { expect, test } from "vitest";
import { targetOf } from "./target.ts";

test("what was not typed is not sent, so that what is stored stays", () => {
  expect(targetOf({ url: " ", secret: "s", headers: "" })).toBeUndefined();
  expect(targetOf({ url: "https://a.example", secret: "", headers: "\nnonsense" })).toEqual({
    url: "https://a.example",
  });
  expect(targetOf({ url: "https://a.example", secret: "s", headers: "X-Key: a:b\nX-Two:2" })).toEqual({
    ...{ url: "https://a.example", secret: "s" },
    headers: { "X-Key": "a:b", "X-Two": "2" },
  });
});
