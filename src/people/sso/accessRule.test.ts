import fc from "fast-check";
import { expect, it } from "vitest";
import { type AccessRule, namesIn, ruleMatches } from "./accessRule.ts";
import type { Facts } from "./provider.ts";

const CODEHOST: Facts = { kind: "codehost", orgs: ["acme"], teams: [{ org: "acme", team: "platform" }] };
const WORKSPACE: Facts = { kind: "workspace", hostedDomain: "corp.test" };
const PERSONAL: Facts = { kind: "workspace", hostedDomain: null };
const OIDC: Facts = { kind: "oidc", groups: ["staff", "acme"] };

it.each<[AccessRule, boolean[]]>([
  [{ type: "codehost_org", org: "acme" }, [true, false, false, false]],
  [{ type: "codehost_org", org: "ACME" }, [false, false, false, false]],
  [{ type: "codehost_team", org: "acme", team: "platform" }, [true, false, false, false]],
  [{ type: "codehost_team", org: "acme", team: "plat" }, [false, false, false, false]],
  [{ type: "codehost_team", org: "other", team: "platform" }, [false, false, false, false]],
  [{ type: "workspace_hd", domains: ["x.test", "corp.test"] }, [false, true, false, false]],
  [{ type: "workspace_hd", domains: ["sub.corp.test"] }, [false, false, false, false]],
  [{ type: "workspace_hd", domains: [] }, [false, false, false, false]],
  [{ type: "oidc_group", group: "staff" }, [false, false, false, true]],
  [{ type: "oidc_group", group: "sta" }, [false, false, false, false]],
])("%j", (rule, expected) => {
  expect([CODEHOST, WORKSPACE, PERSONAL, OIDC].map((facts) => ruleMatches(rule, facts))).toEqual(expected);
});

it("a rule that matches names something in the answer, by which it is found", () => {
  const name = fc.constantFrom("acme", "platform", "corp.test", "staff");
  const rule: fc.Arbitrary<AccessRule> = fc.oneof(
    name.map((org) => ({ type: "codehost_org", org }) as const),
    fc.record({ type: fc.constant("codehost_team" as const), org: name, team: name }),
    fc.array(name).map((domains) => ({ type: "workspace_hd", domains }) as const),
    name.map((group) => ({ type: "oidc_group", group }) as const),
  );
  const facts: fc.Arbitrary<Facts> = fc.oneof(
    // A team's organization need not be among those that the host lists.
    fc.record({
      kind: fc.constant("codehost" as const),
      orgs: fc.array(name),
      teams: fc.array(fc.record({ org: name, team: name })),
    }),
    fc.option(name).map((hostedDomain) => ({ kind: "workspace", hostedDomain }) as const),
    fc.array(name).map((groups) => ({ kind: "oidc", groups }) as const),
  );
  const named = (of: AccessRule) => ("domains" in of ? of.domains : ["org" in of ? of.org : of.group]);
  fc.assert(
    fc.property(rule, facts, (of, said) => {
      if (ruleMatches(of, said)) expect(named(of).some((each) => namesIn(said).includes(each))).toBe(true);
    }),
  );
});
