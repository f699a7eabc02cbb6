import { expect, test } from "vitest";
import { readResources } from "./analysisResources.ts";

const item = (change: object = {}) => ({
  address: "aws_vpc.main",
  mode: "managed",
  type: "aws_vpc",
  provider: "registry.terraform.io/hashicorp/aws",
  realm: "aws/1",
  identity: "vpc-1",
  ignore: false,
  ...change,
});
const read = (resources: unknown, version = 1) => readResources(JSON.stringify({ version, resources }));

test("resources come sorted by bytes, each address once", () => {
  const items = ["b", "ä", "B", "b"].map((address) => item({ address }));
  expect(read({ complete: true, items })?.items.map(({ address }) => address)).toEqual(["B", "b", "ä"]);
});

test("what is absent, of another version or malformed anywhere is unknown", () => {
  expect(read(null)).toBeNull();
  expect(read(undefined)).toBeNull();
  expect(read({ items: [] }, 2)).toBeNull();
  for (const wrong of [
    null,
    1,
    item({ address: 1 }),
    item({ address: "" }),
    item({ mode: "x" }),
    item({ type: null }),
  ]) {
    expect(read({ complete: true, items: [item(), wrong] })).toBeNull();
  }
  expect(() => readResources("[]")).toThrow(SyntaxError);
});

test("a text too long or with a control leaves the resource out, and the list is incomplete", () => {
  for (const change of [{ address: "a".repeat(1_025) }, { type: "t\u0000" }, { provider: "\ud800" }]) {
    expect(read({ complete: true, items: [item({ address: "kept" }), item(change)] })).toMatchObject({
      complete: false,
      items: [{ address: "kept" }],
    });
  }
  expect(read({ complete: true, items: [] })).toEqual({ complete: true, items: [] });
  expect(read({ items: [] })?.complete).toBe(false);
});

test("a resource that is told to be left out, or has no realm, has no identity; two pairs never share a hash", () => {
  for (const change of [{ ignore: true }, { realm: null }, { identity: "" }]) {
    expect(read({ complete: true, items: [item(change)] })?.items[0]).toMatchObject({ identity: null, hash: null });
  }
  const hash = (realm: string, identity: string) =>
    read({ complete: true, items: [item({ realm, identity })] })?.items[0]?.hash;
  expect(hash("a", "bc")).not.toBe(hash("ab", "c"));
});
