import fc from "fast-check";
import { expect, it } from "vitest";
import { externalId, sessionName } from "./sessionName.ts";

const ID = "0190f5fe-7c00-7a00-8000-0123456789ab";
const of = (stackSlug: string) => ({ orgId: "org-1", stackSlug, deploymentId: ID });

it.each([
  ["network", `network@${ID}`],
  ["a b/c:d", `a-b-c-d@${ID}`],
  ["a".repeat(100), `${"a".repeat(27)}@${ID}`],
])("the session of stack %s is %s", (slug, name) => expect(sessionName(of(slug))).toBe(name));

it("is one that AWS takes, and names the deployment whole, whatever the stack is called", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 120, unit: "grapheme" }), (slug) => {
      const name = sessionName(of(slug));
      expect(name).toMatch(/^[\w+=,.@-]{2,64}$/);
      expect(name.endsWith(`@${ID}`)).toBe(true);
    }),
  );
});

it("the external id is the organization's, so that two organizations never share one", () => {
  expect(externalId(of("network"))).toBe("org-1:network");
  // A stack's id has no colon, so no other pair reads the same.
  expect(externalId({ ...of("network"), orgId: "org-2" })).not.toBe(externalId(of("network")));
});
