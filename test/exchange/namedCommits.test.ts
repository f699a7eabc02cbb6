/**
 * A commit that is named by its id: what the host knows it to lead to (docs/rules/deployments.md#a-commit-by-its-id).
 */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createKeyring } from "../../src/platform/crypto/keyring.ts";
import { archiveOfFiles, sha256Of } from "../support/archive.ts";
import { makeOrg } from "../support/fixtures.ts";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";
import { hostStack, makeIntegration } from "../support/scm.ts";
import { ScriptedHost } from "../support/scriptedHost.ts";

const keyring = createKeyring({ provider: "aes-256", key: randomBytes(32), previousKeys: [] });
const UNKNOWN = "f".repeat(40);

let api: PeopleApi;
let host: ScriptedHost;
let orgId: string;
let token: string;
let path: string;
let commit: string;

beforeAll(async () => {
  const env = { SVC_EGRESS_ALLOW: "127.0.0.1" };
  [api, host] = await Promise.all([startPeopleApi({ keyring, git: "host", env }), ScriptedHost.start()]);
  commit = await host.commit({ "main.tf": "1" }, { message: "Begin" });
  await host.commit({ "main.tf": "2" });
});
afterAll(async () => {
  await Promise.all([host.stop(), api.close()]);
});
beforeEach(async () => {
  ({ orgId } = await makeOrg(api.database));
  await makeIntegration(api.database, keyring, orgId, host);
  ({ token } = await api.makeAccount(orgId, [["stack", "*"]]));
  await stack({});
});

async function stack(settings: object): Promise<void> {
  const key = await hostStack(api.database, orgId, host, settings);
  const [row] = await api.database.sql`select slug from stacks where stack_key = ${key}`;
  path = `/api/v1/orgs/${orgId}/stacks/${row?.slug}`;
}
const create = (commit_sha: string) =>
  api.call("POST", `${path}/deployments`, { token, body: { mode: "plan", commit_sha } });

describe("a deployment of a commit by its id", () => {
  it("has its author and message", async () => {
    const { status, body } = await create(commit);
    expect([status, body]).toMatchObject([
      201,
      { commit_sha: commit, commit_message: "Begin", commit_author: "Ann Author" },
    ]);
  });

  it("by a tag's id is one of the commit that it marks", async () => {
    const { status, body } = await create(await host.tag("v1", commit));
    expect([status, body.commit_sha]).toEqual([201, commit]);
  });

  it.each<[string, () => Promise<string>]>([
    ["a tree's", () => host.tree(commit)],
    ["no object's", async () => UNKNOWN],
    ["that of no commit", async () => "0".repeat(40)],
  ])("by an id that is %s is refused, and makes nothing", async (_, id) => {
    const { status, body } = await create(await id());
    expect([status, body.code, body.errors[0].field]).toEqual([422, "invalid_value", "commit_sha"]);
    const made = await api.database.sql`select 1 from deployments where org_id = ${orgId}`;
    expect(made).toHaveLength(0);
  });

  it("is taken as it is where no host can be asked: the run looks at it", async () => {
    await stack({ repository_url: "https://git.example/acme/public.git", repository_key: "git.example/acme/public" });
    const { status, body } = await create(UNKNOWN);
    expect([status, body.commit_sha]).toEqual([201, UNKNOWN]);
  });
});

it("a local plan only notes its commit, which may never have been pushed", async () => {
  const archive = archiveOfFiles({ "main.tf": "" });
  const upload = await api.call("POST", `${path}/local-sources?sha256=${sha256Of(archive)}`, {
    token,
    body: archive,
    headers: { "content-type": "application/gzip" },
  });
  const { local_source_key, local_source_sha256 } = upload.body;
  const plan = (commit_sha: string) =>
    api.call("POST", `${path}/deployments/local`, {
      token,
      body: { local_source_key, local_source_sha256, commit_sha },
    });
  expect(await plan(UNKNOWN)).toMatchObject({ status: 201, body: { commit_sha: UNKNOWN } });
  expect((await plan("0".repeat(40))).status).toBe(422);
});
