/** The graph over HTTP: what those tests begin with. */
import { expect } from "vitest";
import { makeEdges, makeStacks } from "./dependencies.ts";
import { type Caller, type Grant, startPeopleApi } from "./peopleApi.ts";
import { peopleTest } from "./test.ts";

export const test = peopleTest()
  .extend("small", { scope: "file" }, async ({}, { onCleanup }) => {
    const small = await startPeopleApi({
      env: {
        SVC_MAX_RESPONSE_EDGES: "6",
        SVC_MAX_PAIR_EDGES: "3",
        SVC_MAX_NEIGHBORHOOD_EDGES: "12",
        SVC_MAX_ORG_EDGES: "40",
      },
    });
    onCleanup(() => small.close());
    return small;
  })
  .extend("world", async ({ api }) => {
    const org = await api.makeOrg();
    const stacks = <S extends string>(...slugs: S[]) => makeStacks(api.database, org, slugs);
    const edges = (...list: Parameters<typeof makeEdges>[2]) => makeEdges(api.database, org, list);
    const reader = (...names: string[]): Promise<Caller> =>
      api.makeAccount(
        org,
        names.length === 0 ? [["stack", "read"]] : names.map((pattern): Grant => ["stack", "read", { pattern }]),
      );
    const get = async (slug: string, caller: Caller, what = "dependencies", from = api, inOrg = org) => {
      const answer = await from.call("GET", `/api/v1/orgs/${inOrg}/stacks/${slug}/${what}`, caller);
      expect(answer.status, answer.text).toBe(200);
      return answer;
    };
    const ring = async () => {
      const made = await stacks("a", "b", "c", "d");
      await edges(
        { from: made.b, slug: "a" },
        { from: made.c, slug: "b" },
        { from: made.a, slug: "c" },
        { from: made.d, slug: "a" },
      );
    };

    return { stacks, edges, reader, get, ring, org };
  });
