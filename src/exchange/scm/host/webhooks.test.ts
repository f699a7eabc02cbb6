import { expect, it } from "vitest";
import { findingOf, type Webhook } from "./webhooks.ts";

const PATH = "/orgs/o/scm-integrations/i/webhook";
const here = (changes: Partial<Webhook> = {}): Webhook => ({
  url: `https://any.example/api/v1${PATH.toUpperCase()}`,
  delivers: ["Push", "Requests"],
  stopped: null,
  ...changes,
});
const found = (...webhooks: Webhook[]) => findingOf(webhooks, PATH, ["Push", "Requests"]);

it("one that leads here is found under any name of the service, and several add up", () => {
  expect(found(here())).toEqual({ state: "complete", missing: [], reason: null });
  expect(found(here({ delivers: ["Push"] }))).toMatchObject({ state: "incomplete", missing: ["Requests"] });
  expect(found(here({ delivers: ["Push"] }), here({ delivers: ["Requests"] }))).toMatchObject({ state: "complete" });
});

it("others are none, one that is stopped says why, and a filter of branches is told", () => {
  for (const url of ["https://other.example/hook", "no address", undefined])
    expect(found(here({ url }))).toMatchObject({ state: "absent", reason: expect.stringContaining("not seen here") });
  expect(found(here({ stopped: "Active" }))).toMatchObject({ state: "incomplete", missing: ["Active"] });
  expect(found(here({ branches: "release-*" }))).toMatchObject({ reason: expect.stringContaining("filter") });
  for (const branches of ["", "*", "**", null]) expect(found(here({ branches }))).toMatchObject({ reason: null });
});
