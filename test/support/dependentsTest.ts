/** The dependents of an apply over HTTP: what those tests begin with. */
import { randomUUID } from "node:crypto";
import type { GitSettings } from "../../src/exchange/scm/resolveCommit.ts";
import { applied, resolveAll, testCascade } from "./cascades.ts";
import { makeOrg, makeStack } from "./fixtures.ts";
import type { Grant } from "./peopleApi.ts";
import { peopleTest } from "./test.ts";

/** Whom a head is asked of: the cascade of the test that runs. */
const heads: { of?: GitSettings["headAtHost"] } = {};

type Stack = { key: string; name: string };

export const test = peopleTest({
  git: { allowProtocol: [], checkHost: async () => {}, headAtHost: (of: never) => heads.of?.(of) as never },
})
  .extend("org", ({ api }) => makeOrg(api.database))
  .extend("world", async ({ api, org }) => {
    const deps = testCascade(api.service);
    heads.of = ({ repositoryUrl, branch }) => {
      deps.asked += 1;
      return deps.head(repositoryUrl, branch);
    };
    const holding = async (...grants: Grant[]) => (await api.makeAccount(org.orgId, grants)).token;
    const admin = await holding(["*", "*"]);

    async function stack(name = `s-${randomUUID().slice(0, 8)}`) {
      const settings = { slug: name, name, auto_approve_mode: "auto" };
      return { key: await makeStack(api.database, org.orgId, settings), name };
    }
    const at = ({ name }: Stack, deployment: string) =>
      `/api/v1/orgs/${org.orgId}/stacks/${name}/deployments/${deployment}/dependents`;
    const list = (parent: Stack, deployment: string, token = admin, query = "") =>
      api.call("GET", at(parent, deployment) + query, { token });
    const press = (parent: Stack, deployment: string, dependent: Stack, token = admin, headers = {}) =>
      api.call("POST", `${at(parent, deployment)}/${dependent.name}/deploy`, { token, headers });

    /** An apply of `parent` whose dependents are resolved. */
    async function apply(parent: Stack): Promise<string> {
      const deployment = await applied(api.service, api.database, org, parent.key);
      await resolveAll(deps, deployment);
      return deployment;
    }

    return { stack, list, press, apply, holding, deps, admin };
  });
