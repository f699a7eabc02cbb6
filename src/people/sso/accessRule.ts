/**
 * Org access rules: whether what a provider said of a person makes them a member
 * (docs/rules/sign-in.md#access-rules). Pure; comparison is exact.
 */
import type { Facts } from "./provider.ts";

export type AccessRule =
  | { type: "codehost_org"; org: string }
  | { type: "codehost_team"; org: string; team: string }
  | { type: "workspace_hd"; domains: readonly string[] }
  | { type: "oidc_group"; group: string };

/** A rule of another kind of provider matches nobody. */
export function ruleMatches(rule: AccessRule, facts: Facts): boolean {
  switch (rule.type) {
    case "codehost_org":
      return facts.kind === "codehost" && facts.orgs.includes(rule.org);
    case "codehost_team":
      return facts.kind === "codehost" && facts.teams.some(({ org, team }) => org === rule.org && team === rule.team);
    case "workspace_hd":
      // A personal account has no hosted domain, and so matches no list.
      return facts.kind === "workspace" && facts.hostedDomain !== null && rule.domains.includes(facts.hostedDomain);
    case "oidc_group":
      return facts.kind === "oidc" && facts.groups.includes(rule.group);
  }
}

/**
 * What a rule must name to match: its organization, one of its domains, or its group. A query finds candidates by
 * these.
 */
export function namesIn(facts: Facts): string[] {
  if (facts.kind === "oidc") return [...facts.groups];
  if (facts.kind === "workspace") return facts.hostedDomain === null ? [] : [facts.hostedDomain];
  return [...facts.orgs, ...facts.teams.map(({ org }) => org)];
}
