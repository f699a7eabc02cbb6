/**
 * What a preview shows at the code host: each effect in each way of being refused, and what becomes of the other one
 * (docs/rules/pull-requests.md#publishing).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type PublishingHost, PublishRefused } from "../../src/core/pullRequests/host.ts";
import { previewView, publishPreview } from "../../src/core/pullRequests/publish.ts";
import { syncPullRequests } from "../../src/core/pullRequests/sync.ts";
import { repositoryHash } from "../../src/core/stacks/previewName.ts";
import { previewKey } from "../../workflows/ids.ts";
import { makeOrg } from "../support/fixtures.ts";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";
import { pullRequest, REPOSITORY, requestStack, type StatedHost, statedHost } from "../support/pullRequests.ts";

type Effect = "status" | "comment";
const EFFECTS: Effect[] = ["status", "comment"];

let api: PeopleApi;
let host: StatedHost;
let orgId: string;
let stackKey: string;
let key: string;
/** How the host refuses each effect now. */
let refuse: Partial<Record<Effect, PublishRefused>>;
/** Effects that the host was asked for, and those it took. */
let asked: Effect[];
let taken: Effect[];

const publishing: PublishingHost = {
  async putStatus() {
    take("status");
  },
  async putComment() {
    take("comment");
    return "1";
  },
};
function take(effect: Effect): void {
  asked.push(effect);
  const refused = refuse[effect];
  if (refused) throw refused;
  taken.push(effect);
}

beforeAll(async () => {
  api = await startPeopleApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  [refuse, asked, taken] = [{}, [], []];
  ({ orgId } = await makeOrg(api.database));
  stackKey = await requestStack(api.database, orgId, "network", { pr_requirements: { promote: ["approved"] } });
  host = statedHost();
  await change({});
  key = previewKey(stackKey, repositoryHash(REPOSITORY), 1);
});

/** What the request says of itself, and with it the texts. */
async function change(request: Parameters<typeof pullRequest>[1]): Promise<void> {
  host.set(pullRequest(1, request));
  await syncPullRequests(api.service, host, { orgId, repositoryKey: REPOSITORY, branch: "main" }, null);
}
const publish = () => publishPreview({ db: api.database.db, host: publishing, publicBaseUrl: undefined }, key);
const unpublished = async () => (await previewView({ db: api.database.db, publicBaseUrl: undefined }, key)).unpublished;

async function listed() {
  const { token } = await api.makeAccount(orgId, [["stack", "read"]]);
  const [row] = await api.database.sql`select slug from stacks where stack_key = ${stackKey}`;
  const { body } = await api.call("GET", `/api/v1/orgs/${orgId}/stacks/${row?.slug}/pull-requests`, { token });
  return body.items[0];
}

const final = () => new PublishRefused(null, "the code host does not accept what was sent to it (HTTP 422)", true);
const passing = () => new PublishRefused(null, "the code host could not be reached");
const limited = () => new PublishRefused(60_000, "the code host asks to be left alone for a while");

describe.each(EFFECTS)("a %s", (effect) => {
  const other = effect === "status" ? "comment" : "status";

  it("that is refused for good is not sent again until its text changes, and the other one is", async () => {
    refuse[effect] = final();
    expect(await publish()).toEqual({ outcome: "published" });
    expect([taken, await unpublished()]).toEqual([[other], false]);
    expect(await listed()).toMatchObject({ [`${effect}_refusal`]: final().reason, [`${other}_refusal`]: null });
    asked = [];
    expect(await publish()).toEqual({ outcome: "published" });
    expect(asked).toEqual([]);
    refuse = {};
    await change({ headSha: "f".repeat(40) });
    expect(await publish()).toEqual({ outcome: "published" });
    expect(asked.sort()).toEqual(["comment", "status"]);
    expect(await listed()).toMatchObject({ status_refusal: null, comment_refusal: null });
  });

  it("that is refused for now is tried again, and keeps the other from nothing", async () => {
    refuse[effect] = passing();
    expect(await publish()).toEqual({ outcome: "failed", notBeforeMs: null, reason: passing().reason });
    expect([taken, await unpublished()]).toEqual([[other], true]);
    refuse = {};
    asked = [];
    expect(await publish()).toEqual({ outcome: "published" });
    expect([asked, await unpublished()]).toEqual([[effect], false]);
  });

  it("that the host limits ends the try: it asked to be left alone", async () => {
    refuse[effect] = limited();
    expect(await publish()).toMatchObject({ outcome: "failed", notBeforeMs: 60_000 });
    expect(asked).toEqual(effect === "status" ? ["status"] : ["status", "comment"]);
  });
});

it("a comment whose text alone changes is sent alone, whatever became of the status", async () => {
  refuse.status = final();
  await publish();
  asked = [];
  await change({ approved: true });
  expect(await publish()).toEqual({ outcome: "published" });
  expect(asked).toEqual(["comment"]);
});
