import type { Facts } from "./provider.ts";

/**
 * What bindings call the groups in an answer: code-host organizations and `org/team`, the hosted domain, claimed
 * groups.
 */
export function groupKeys(facts: Facts): string[] {
  if (facts.kind === "oidc") return [...facts.groups];
  if (facts.kind === "workspace") return facts.hostedDomain === null ? [] : [facts.hostedDomain];
  return [...facts.orgs, ...facts.teams.map(({ org, team }) => `${org}/${team}`)];
}
