/** Failures of a code host tell nothing but their kind. */
import { describe, expect } from "vitest";
import { branchHead } from "../../src/exchange/scm/host/commits.ts";
import { HostError } from "../../src/exchange/scm/host/errors.ts";
import { makeIntegration } from "../support/scm.ts";
import { ABUSE, failure, limit, SECONDARY, test } from "../support/scmHostTest.ts";
import { type HostReply, ScriptedHost } from "../support/scriptedHost.ts";

describe("failures", () => {
  const secret = "ghp_CANARY";
  test.for<[string, HostReply, object]>([
    ["500", { status: 500, body: { message: secret } }, { failure: "unavailable", hostStatus: 500 }],
    ["a hang", "hang", { failure: "unavailable", hostStatus: null }],
    ["429 without a time", { status: 429 }, { failure: "rate_limited", retryAfterMs: 60_000 }],
    [
      "403 with a time",
      { status: 403, headers: { "retry-after": "7" } },
      { failure: "rate_limited", retryAfterMs: 7_000 },
    ],
    [
      "an absurd time",
      { status: 429, headers: { "retry-after": "999999" } },
      { failure: "rate_limited", retryAfterMs: 7_200_000 },
    ],
    ["403", { status: 403, body: { message: secret } }, { failure: "refused", retryAfterMs: null }],
    [
      "403 for credentials, with a budget that is not spent",
      { status: 403, headers: { "x-ratelimit-remaining": "57" }, body: { message: "Resource not accessible" } },
      { failure: "refused", retryAfterMs: null },
    ],
    ["a secondary limit, in its words", limit(SECONDARY), { failure: "rate_limited", retryAfterMs: 60_000 }],
    ["the same in older words", limit({ message: ABUSE }), { failure: "rate_limited", retryAfterMs: 60_000 }],
    [
      "the same by its documentation",
      limit({ documentation_url: SECONDARY.documentation_url }),
      { failure: "rate_limited", retryAfterMs: 60_000 },
    ],
    [
      "a spent budget without a time",
      { status: 403, headers: { "x-ratelimit-remaining": "0" } },
      { failure: "rate_limited", retryAfterMs: 60_000 },
    ],
    ["404", { status: 404, body: { message: "Not Found" } }, { failure: "hidden", hostStatus: 404 }],
    ["a redirect", { status: 301, headers: { location: `http://x:${secret}@127.0.0.1:1/` } }, { failure: "moved" }],
    ["no commit in it", { status: 200, body: { commit: { sha: secret } } }, { failure: "nonsense" }],
  ])("%s is told apart, in words of ours", async ([_, reply, expected], { world }) => {
    const { host, calls } = world;
    const repository = await calls();
    host.script = () => reply;
    const error = await failure(branchHead(repository, "main"));
    expect(error).toBeInstanceOf(HostError);
    expect(error).toMatchObject(expected);
    const everything = `${error.message}${error.stack}${JSON.stringify(error, Object.getOwnPropertyNames(error))}`;
    expect(everything).not.toContain(secret);
    expect(everything).not.toContain(host.token);
    expect(everything).not.toContain("127.0.0.1");
    expect(error.cause).toBeUndefined();
  });

  test("a host that is not there and an address that may not be called look alike", async ({ world }) => {
    const { database, hosts, orgId } = world;
    const gone = await ScriptedHost.start();
    const integration = await makeIntegration(database, hosts.keyring, orgId, gone);
    const repository = await hosts.hosts.repository(integration, gone.repositoryKey);
    await gone.stop();
    const away = await failure(branchHead(repository, "main"));
    expect(away).toMatchObject({ failure: "unavailable", detail: expect.stringContaining("SVC_EGRESS_ALLOW") });
    const inside = { ...integration, apiBaseUrl: "http://10.0.0.1/api", updatedAt: "x" };
    const blocked = await hosts.hosts.repository(inside, "10.0.0.1/acme/infra");
    const refused = await failure(branchHead(blocked, "main"));
    expect({ ...refused, stack: "" }).toEqual({ ...away, stack: "" });
    expect(refused.message).toBe(away.message);
  });
});
