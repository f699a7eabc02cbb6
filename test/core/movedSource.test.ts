/**
 * A stack that is given another branch or repository while its code host is being asked: no deployment ever has the
 * branch of one and the commit of the other (docs/rules/deployments.md#creating-one).
 */
import { globSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Head } from "../../src/core/deployments/head.ts";
import { archiveOfFiles, sha256Of } from "../support/archive.ts";
import { applied, dependsOn, resolveAll, testCascade } from "../support/cascades.ts";
import { makeOrg, makeStack, type TestOrg } from "../support/fixtures.ts";
import { type Answer, type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

type Asked = { orgId: string; repositoryUrl: string; branch: string };

let api: PeopleApi;
let org: TestOrg;
let token: string;
let slug: string;
let key: string;
/** What happens while the host is asked for the n-th time, from 1. */
let meanwhile: (asked: number) => Promise<unknown>;
let asked: Asked[];

const OTHER = "https://git.example/acme/other.git";
/** A commit that tells which source it is of. */
const commitOf = ({ repositoryUrl, branch }: Pick<Asked, "repositoryUrl" | "branch">) =>
  Buffer.from(`${repositoryUrl} ${branch}`).toString("hex").slice(-40).padStart(40, "0");

beforeAll(async () => {
  api = await startPeopleApi({
    git: {
      allowProtocol: [],
      checkHost: async () => {},
      async headAtHost(at): Promise<Head> {
        asked.push(at);
        await meanwhile(asked.length);
        return { sha: commitOf(at), message: null, author: null };
      },
    },
  });
});
afterAll(() => api.close());
beforeEach(async () => {
  org = await makeOrg(api.database);
  asked = [];
  meanwhile = async () => {};
  ({ token } = await api.makeAccount(org.orgId, [["*", "*"]]));
  slug = `s-${key?.slice(0, 8) ?? "first"}-${Math.random().toString(36).slice(2, 8)}`;
  key = await makeStack(api.database, org.orgId, { slug, name: slug, auto_approve_mode: "auto" });
});

const path = () => `/api/v1/orgs/${org.orgId}/stacks/${slug}`;
const patch = async (body: object) => expect((await api.call("PATCH", path(), { token, body })).status).toBe(200);

/** Every way in which a person makes a deployment of a commit that a host is asked for. */
const WAYS: Record<string, () => Promise<Answer>> = {
  create: () => api.call("POST", `${path()}/deployments`, { token, body: { mode: "plan" } }),
  "create by a commit's id": () =>
    api.call("POST", `${path()}/deployments`, { token, body: { mode: "plan", commit_sha: "c".repeat(40) } }),
  "run-command": () => api.call("POST", `${path()}/deployments/run-command`, { token, body: { script: "true" } }),
  "local plan": async () => {
    const archive = archiveOfFiles({ "main.tf": "" });
    const headers = { "content-type": "application/gzip" };
    const upload = `${path()}/local-sources?sha256=${sha256Of(archive)}`;
    const { body } = await api.call("POST", upload, { token, body: archive, headers });
    const { local_source_key, local_source_sha256 } = body;
    return api.call("POST", `${path()}/deployments/local`, { token, body: { local_source_key, local_source_sha256 } });
  },
  "a dependent's button": async () => {
    const parent = await makeStack(api.database, org.orgId, { auto_approve_mode: "auto" });
    await dependsOn(api.database, key, parent, { trigger: "manual" });
    const deployment = await applied(api.service, api.database, org, parent);
    await resolveAll(testCascade(api.service), deployment);
    const [row] = await api.database.sql`select slug from stacks where stack_key = ${parent}`;
    const dependents = `/api/v1/orgs/${org.orgId}/stacks/${row?.slug}/deployments/${deployment}/dependents`;
    return api.call("POST", `${dependents}/${slug}/deploy`, { token });
  },
};

const made = () => api.database.sql`
  select repository_url as "repositoryUrl", branch, commit_sha from deployments where stack_key = ${key}`;

describe.each(Object.entries(WAYS))("%s", (_, make) => {
  it.each<[string, Partial<Asked>]>([
    ["another branch", { branch: "next" }],
    ["another repository", { repositoryUrl: OTHER }],
  ])("of a stack that is given %s asks again, once", async (__, change) => {
    const { repositoryUrl: repository_url, branch } = change;
    meanwhile = async (n) => n === 1 && patch({ repository_url, branch });
    const { status, text } = await make();
    expect([status, status === 201 ? "" : text]).toEqual([201, ""]);
    const [deployment] = await made();
    const source = { repositoryUrl: asked[0]?.repositoryUrl, branch: asked[0]?.branch, ...change };
    expect(deployment).toEqual({ ...source, commit_sha: commitOf(source as Asked) });
    expect(asked).toHaveLength(2);
  });

  it("of a stack that never stays is a clear 409, and makes nothing", async () => {
    meanwhile = (n) => patch({ branch: `b${n}` });
    const { status, body } = await make();
    expect([status, body.code, body.detail]).toEqual([409, "conflict", expect.stringMatching(/changed.*Try again/)]);
    expect(asked).toHaveLength(2);
    expect(await made()).toEqual([]);
  });

  it("of a stack that is deleted meanwhile is 404", async () => {
    meanwhile = () => api.database.sql`update stacks set deleted_at = svc_now() where stack_key = ${key}`;
    expect((await make()).status).toBe(404);
    expect(await made()).toEqual([]);
  });

  it("of a stack whose other settings change asks no more", async () => {
    meanwhile = () => patch({ working_directory: "elsewhere" });
    expect((await make()).status).toBe(201);
    expect(asked).toHaveLength(1);
  });
});

it("whoever makes deployments is known, and says what the host was asked about", () => {
  const makers = globSync("{src,activities}/**/*.ts")
    .filter((file) => !file.endsWith(".test.ts"))
    .filter((file) => /\bawait createDeployment\(/.test(readFileSync(file, "utf8")));
  const sources = Object.fromEntries(
    makers.map((file) => [
      file,
      /source: \{ (asked|kept)|\bsource: \{ asked \}/.exec(readFileSync(file, "utf8"))?.[1] ?? "asked",
    ]),
  );
  const provenances = makers.flatMap((file) => [
    ...readFileSync(file, "utf8").matchAll(/^\s+provenance: (.+),$|^\s+(provenance),$/gm),
  ]);
  // Of the head, of a request whose host has told of forks, kept, or looked up: `test/core/provenance.test.ts`.
  expect(new Set(provenances.map(([, given, looked]) => given ?? looked))).toEqual(
    new Set([
      '"branch"',
      'candidate.is_fork ? "fork" : "pull_request"',
      'request.is_fork ? "fork" : "pull_request"',
      "retried.provenance",
      "base.provenance",
      "last.provenance",
      "provenance",
    ]),
  );
  expect(sources).toEqual({
    // Raced above.
    "src/core/deployments/createUseCase.ts": "asked",
    "src/graph/cascade/triggerDependent.ts": "asked",
    // Keeps the source and the commit of the deployment before, and asks nobody.
    "src/core/deployments/retry.ts": "kept",
    "src/core/drift/begin.ts": "kept",
    "src/core/drift/mend.ts": "kept",
    "src/core/lifetimes/end.ts": "kept",
    // Compared under the stack's lock, and looked up again by the next step.
    "src/core/schedules/make.ts": "asked",
    // Raced in test/core/pullRequestPromotion.test.ts and test/core/pullRequestHeads.test.ts.
    "src/core/pullRequests/promote.ts": "asked",
    "src/core/pullRequests/carryOut.ts": "asked",
    // Raced in test/exchange/scmPushSync.test.ts.
    "src/exchange/scm/pushSync.ts": "asked",
  });
});
