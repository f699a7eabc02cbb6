import { expect, it } from "vitest";
import { parseStartOptions } from "./options.ts";

it("has a folder and a port of its own, and takes others", () => {
  expect(parseStartOptions([])).toEqual({ data: ".data", port: 8080 });
  expect(parseStartOptions(["--data", "/srv/x", "--port", "0"])).toEqual({ data: "/srv/x", port: 0 });
  expect(parseStartOptions(["--port=65535"])).toMatchObject({ port: 65_535 });
});

it.each([["--port", "65536"], ["--port", "-1"], ["--port", "http"], ["--data", ""], ["--prot", "1"], ["here"]])(
  "refuses %s %s",
  (...args) => {
    expect(() => parseStartOptions(args)).toThrow();
  },
);
