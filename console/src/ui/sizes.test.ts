import { expect, test } from "vitest";
import { sizeText } from "./sizes.ts";

test.each([
  [0, "0 B"],
  [512, "512 B"],
  [1_024, "1.0 KiB"],
  [1_434, "1.4 KiB"],
  [32_505_856, "31 MiB"],
  [5 * 1024 ** 4, "5120 GiB"],
])("%d bytes are %s", (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});
