import { expect, it } from "vitest";
import { type AccessRule, ruleMatches } from "./accessRule.ts";
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
