import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { type Permission, PermissionInput, shownPermission, storedPermissions } from "./permission.ts";

const read = { resource_type: "stack", action: "read" };
const problems = (permission: object) =>
  v.safeParse(PermissionInput, permission).issues?.map((issue) => [v.getDotPath(issue), issue.message]) ?? [];

describe("a permission", () => {
  it("is untargeted unless it says otherwise", () =>
    expect(v.parse(PermissionInput, read)).toEqual({ ...read, resource_pattern: null, authz_group: null }));

  it.each([
    { resource_type: "*", action: "*" },
    { resource_type: "*", action: "deploy" },
    { resource_type: "*", action: "read", resource_pattern: "net-*" },
    { resource_type: "stack", action: "*", authz_group: "prod" },
    { resource_type: "cloud_integration", action: "update", authz_group: "prod" },
    { resource_type: "label", action: "update", resource_pattern: "team" },
  ])("may be %j", (permission) => expect(problems(permission)).toEqual([]));

  it.each([
    [{ resource_type: "stack", action: "assign" }, "action", "no permission of this type"],
    [{ resource_type: "nonsense", action: "*" }, "action", "no permission of this type"],
    [{ resource_type: "*", action: "nonsense" }, "action", "no permission of this type"],
    [{ resource_type: "member", action: "read", resource_pattern: "k*" }, "resource_pattern", "cannot be singled out"],
    [{ resource_type: "context", action: "read", authz_group: "prod" }, "authz_group", "only stack and"],
    [{ resource_type: "*", action: "read", authz_group: "prod" }, "authz_group", "only stack and"],
    [{ ...read, resource_pattern: "net-*", authz_group: "prod" }, "authz_group", "not both"],
    [{ ...read, authz_group: "svc:prod" }, "authz_group", "reserved"],
    [{ ...read, resource_pattern: "" }, "resource_pattern", "length"],
    [{ ...read, resource_pattern: "a".repeat(201) }, "resource_pattern", "length"],
    [{ ...read, authz_group: "a".repeat(101) }, "authz_group", "length"],
    [{ ...read, resource_pattern: "a\nb" }, "resource_pattern", "control characters"],
    [{ ...read, resource_id: "net" }, "resource_id", ""],
  ])("may not be %j", (permission, field, message) =>
    expect(problems(permission)).toContainEqual([field, expect.stringContaining(message)]),
  );
});

describe("what is stored", () => {
  const stored = (...permissions: object[]) =>
    storedPermissions(permissions.map((one) => v.parse(PermissionInput, one)));

  it("is each permission once, by what it means", () => {
    expect(stored(read, { ...read, resource_pattern: null }, { ...read, authz_group: "prod" })).toHaveLength(2);
    expect(stored({ ...read, resource_pattern: "a%*" }).map((one) => one.resource_pattern)).toEqual(["a\\%%"]);
  });

  it("gives back what people wrote", () => {
    const glob = fc.string({ minLength: 1, maxLength: 20, unit: fc.constantFrom(..."ab*?%_\\") });
    const target = fc.oneof(
      glob.map((resource_pattern) => ({ resource_pattern })),
      fc.constantFrom("prod", "*", "100%").map((authz_group) => ({ authz_group })),
      fc.constant({}),
    );
    const permission = fc
      .record({ action: fc.constantFrom("read", "deploy", "*"), target })
      .map(({ action, target }): Permission => v.parse(PermissionInput, { resource_type: "stack", action, ...target }));
    fc.assert(
      fc.property(fc.uniqueArray(permission, { selector: (one) => JSON.stringify(one) }), (permissions) => {
        expect(storedPermissions(permissions).map(shownPermission)).toEqual(permissions);
        expect(storedPermissions([...permissions, ...permissions])).toEqual(storedPermissions(permissions));
      }),
    );
  });
});
