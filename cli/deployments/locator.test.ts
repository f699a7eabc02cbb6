import { expect, test } from "vitest";
import { createdAtOf, locate } from "./locator.ts";

const id = "019f6a52-7c00-7abc-8000-000000000001";

test.each([
  [id, { kind: "deployment", stack: null, id }],
  [id.toUpperCase(), { kind: "deployment", stack: null, id }],
  [`network/${id}`, { kind: "deployment", stack: "network", id }],
  [
    `https://deploy.example/orgs/o/stacks/network/deployments/${id}`,
    { kind: "deployment", stack: "network", id, page: { host: "https://deploy.example", orgId: "o" } },
  ],
  [
    `https://deploy.example/x/orgs/o/stacks/a%2Eb/deployments/${id}?tab=log#L1`,
    { kind: "deployment", stack: "a.b", id, page: { host: "https://deploy.example/x", orgId: "o" } },
  ],
  ["network-prod", { kind: "stack", stack: "network-prod" }],
])("%s", (text, located) => {
  expect(locate(text)).toEqual(located);
});

test.each(["network/latest", "https://deploy.example/", "https://deploy.example/orgs/o/stacks/n/deployments/x"])(
  "%s is refused",
  (text) => {
    expect(() => locate(text)).toThrow(expect.objectContaining({ code: 3 }));
  },
);

test("an id tells when it was made", () => {
  expect(createdAtOf(id)).toBe(0x019f6a527c00);
  expect(createdAtOf("7f0c1a52-0000-4abc-8000-000000000001")).toBeNull();
});
