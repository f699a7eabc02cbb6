import { describe, expect, it } from "vitest";
import { parseAwsConfig, rolesForPreviews } from "./config.ts";

const ARN = "arn:aws:iam::123456789012:role/deploy";
const named = (name: string, more: object = {}) => ({ name, role_arn: ARN, ...more });
const parsed = (...roles: object[]) => parseAwsConfig({ roles });
const fields = (config: unknown): string[] => {
  try {
    parseAwsConfig(config);
    return [];
  } catch (error) {
    expect(error).toMatchObject({ status: 422 });
    return (error as { errors: { field: string }[] }).errors.map(({ field }) => field);
  }
};

describe("the roles of an integration", () => {
  it("come sorted by code point, each for previews too unless it says otherwise", () => {
    const { roles } = parsed(named("b"), named("a"), named("B", { use_in_previews: false }));
    expect(roles.map(({ name, use_in_previews }) => [name, use_in_previews])).toEqual([
      ["B", false],
      ["a", true],
      ["b", true],
    ]);
  });

  it("keep a policy minified, and have none where none is given", () => {
    const policy = '{ "Statement": { "Effect": "Allow", "Action": "s3:*" } }';
    const { roles } = parsed(named("a"), named("b", { inline_policy: policy }));
    expect(roles.map((role) => role.inline_policy)).toEqual([
      undefined,
      '{"Statement":{"Effect":"Allow","Action":"s3:*"}}',
    ]);
    expect(Object.hasOwn(roles[0] ?? {}, "inline_policy")).toBe(false);
  });

  it.each(["default", "a", "A9_.@-", "a".repeat(64), "9", "constructor", "prototype"])(
    "may be called %s: no name is reserved",
    (name) => expect(fields({ roles: [named(name)] })).toEqual([]),
  );

  it.each(["", "-a", ".a", "a b", "a:b", "ä", "a".repeat(65)])("may not be called %j", (name) =>
    expect(fields({ roles: [named(name)] })).toEqual(["config.roles.0.name"]),
  );

  it.each([
    ARN,
    "arn:aws-us-gov:iam::123456789012:role/path/to/deploy",
    "arn:aws-cn:iam::123456789012:role/a+b=c,d.e@f-g_h",
  ])("may be %s", (role_arn) => expect(fields({ roles: [named("a", { role_arn })] })).toEqual([]));

  it.each([
    "arn:aws:iam::12345678901:role/deploy",
    "arn:aws:iam::123456789012:user/deploy",
    "arn:aws:sts::123456789012:assumed-role/deploy/x",
    "arn:aws:iam::123456789012:role/",
    "arn:aws:iam::123456789012:role/a b",
    `${ARN}\n`,
    ` ${ARN}`,
    `arn:aws:iam::123456789012:role/${"a".repeat(577)}`,
  ])("may not be %j", (role_arn) =>
    expect(fields({ roles: [named("a", { role_arn })] })).toEqual(["config.roles.0.role_arn"]),
  );
});

describe("a config", () => {
  const many = (count: number) => ({ roles: Array.from({ length: count }, (_, i) => named(`r${i}`)) });

  it("has 1 to 50 roles of different names", () => {
    expect([fields(many(1)), fields(many(50))]).toEqual([[], []]);
    expect([fields(many(0)), fields(many(51))]).toEqual([["config.roles"], ["config.roles"]]);
    expect(fields({ roles: [named("a"), named("a")] })).toEqual(["config.roles"]);
    expect(fields({ roles: [named("a"), named("A")] })).toEqual([]);
  });

  it.each([null, [], "roles", {}, { roles: "a" }])("is not %j", (config) => expect(fields(config)).toHaveLength(1));

  it("has no field that is not known", () => {
    expect(fields({ ...many(1), region: "eu" })).toEqual(["config.region"]);
    expect(fields({ roles: [named("a", { external_id: "x" })] })).toEqual(["config.roles.0.external_id"]);
  });

  it("is read again to the same", () => {
    const once = parsed(named("b", { use_in_previews: false }), named("a"));
    expect(parseAwsConfig(once)).toEqual(once);
  });
});

it("a preview gets the roles that are meant for it, and is told apart from one that gets none", () => {
  const { roles } = parsed(named("all"), named("prod", { use_in_previews: false }));
  expect(rolesForPreviews({ roles })?.roles.map(({ name }) => name)).toEqual(["all"]);
  expect(rolesForPreviews({ roles: roles.filter(({ name }) => name === "prod") })).toBeNull();
});
