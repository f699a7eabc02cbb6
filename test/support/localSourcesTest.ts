/** Local sources and plans over HTTP: what those tests begin with. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { insertStacks } from "../../bench/harness/rows.ts";
import { removeSources } from "../../src/core/localSources/removeSources.ts";
import { openObjectStore } from "../../src/platform/objects/openStore.ts";
import { archiveOfFiles, sha256Of } from "./archive.ts";
import { makeOrg } from "./fixtures.ts";
import type { Answer, Grant } from "./peopleApi.ts";
import { commitFiles } from "./runnerProcess.ts";
import { peopleTest } from "./test.ts";

export const DAY = 86_400_000;
export const RETENTION = 7 * DAY;

export const archive = archiveOfFiles({ "main.tf": "# CANARY of an archive\n" });

type Sent = { query?: string; token?: string; headers?: Record<string, string> };

export const refusedFields = ({ body }: Answer) => body.errors?.map(({ field }: { field: string }) => field);

export const test = peopleTest({ git: { allowProtocol: ["file"], checkHost: async () => {} } })
  .extend("org", { scope: "file" }, ({ api }) => makeOrg(api.database))
  .extend("newPerson", { scope: "file" }, ({ api, org }) => () => {
    return api.makeAccount(org.orgId, [
      ["stack", "read"],
      ["stack", "local_deploy"],
    ]);
  })
  .extend("repository", { scope: "file" }, () => commitFiles({ "main.tf": "# committed\n" }))
  .extend("world", async ({ newPerson, api, org, repository }) => {
    // Each test's own: some move time by weeks, beyond the life of a token.
    const person = await newPerson();

    async function makeStack(settings: Record<string, unknown> = {}): Promise<{ slug: string; key: string }> {
      const [stack] = await insertStacks(api.database.sql, org.orgId, 1, {
        repository_url: repository.url,
        ...settings,
      });
      return { slug: stack!.slug, key: stack!.stack_key };
    }
    const stackPath = (slug: string) => `/api/v1/orgs/${org.orgId}/stacks/${slug}`;
    const holding = async (...grants: Grant[]) => (await api.makeAccount(org.orgId, grants)).token;

    function upload(
      slug: string,
      body: Uint8Array,
      { query, token = person.token, headers }: Sent = {},
    ): Promise<Answer> {
      const path = `${stackPath(slug)}/local-sources${query ?? `?sha256=${sha256Of(body)}`}`;
      return api.call("POST", path, { token, body, headers: { "content-type": "application/gzip", ...headers } });
    }
    const plan = (slug: string, body: unknown, token = person.token, headers: Record<string, string> = {}) =>
      api.call("POST", `${stackPath(slug)}/deployments/local`, { token, body, headers });

    /** An uploaded source as the body of a plan names it. */
    async function uploaded(slug: string) {
      const { body } = await upload(slug, archive);
      const { local_source_key, local_source_sha256 } = body as Record<string, string>;
      return { local_source_key, local_source_sha256 } as { local_source_key: string; local_source_sha256: string };
    }
    const rows = async (key: string) => api.database.sql`select * from local_sources where stack_key = ${key}`;
    const files = () => readdirSync(join(api.objectFolder, "local-sources")).filter((name) => !name.startsWith("."));

    async function refused(send: (slug: string) => Promise<Answer>): Promise<Answer> {
      const { slug, key } = await makeStack();
      const before = files();
      const answer = await send(slug);
      expect(await rows(key)).toEqual([]);
      expect(files()).toEqual(before);
      return answer;
    }
    const pass = () => removeSources(api.database.db, openObjectStore(`file://${api.objectFolder}`), RETENTION);
    const exists = async (id: string) => {
      const inTable = (await api.database.sql`select 1 from local_sources where id = ${id}`).length === 1;
      expect(files().includes(id)).toBe(inTable);
      return inTable;
    };

    return {
      makeStack,
      stackPath,
      holding,
      upload,
      plan,
      uploaded,
      rows,
      files,
      refused,
      pass,
      exists,
      person,
    };
  });
