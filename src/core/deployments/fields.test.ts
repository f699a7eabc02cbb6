import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { ConfirmBody, CreateBody } from "./fields.ts";

const messages = (schema: v.GenericSchema, body: unknown) =>
  v.safeParse(schema, body).issues?.map((issue) => [v.getDotPath(issue), issue.message]) ?? [];

describe("an address", () => {
  it.each([
    'terraform_data.a["quo\\"te"]',
    'module.x["pl ain"].y["$${tpl} `tick` ; rm -rf /"]',
    `a.b["${"ü".repeat(1_000)}"]`,
  ])("is taken as it is: %s", (address) =>
    expect(v.parse(CreateBody, { mode: "plan", targets: [address] }).targets).toEqual([address]),
  );

  it.each(["   ", "-destroy"])("is refused before it costs a saved plan: %j", (address) =>
    expect(messages(ConfirmBody, { action: "replan", targets: [address] })).toEqual([
      ["targets.0", "is not a resource address"],
    ]),
  );

  it.each(["a.b\n", "a\u0000", "a\u2028b", "\u009b31m"])("holds no control characters: %j", (address) =>
    expect(messages(CreateBody, { mode: "plan", replaces: [address] })).toEqual([
      ["replaces.0", "must not hold control characters"],
    ]),
  );
});
