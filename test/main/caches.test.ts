/**
 * Everything that is kept of what was read elsewhere, and what a refusal does to it
 * (docs/rules/source-control.md#what-is-kept). A cache that is not in this list fails here: whoever adds one says how
 * it learns that it is out of date.
 */
import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const CACHES: Record<string, { kept: string; outdated: string }> = {
  "src/exchange/scm/host/appCredentials.ts": {
    kept: "an app's installation of each owner, its tokens for calls and for clones, and where asking anew was in vain",
    outdated:
      "401 and 403 drop the token, 401, 403 and 404 of a mint drop the installation; each is asked for once more, and not again " +
      "for 30 s where that was refused too. A kept token is tried before a run gets it (test/exchange/scmSources.test.ts)",
  },
  "src/exchange/scm/host/hosts.ts": {
    kept: "a client for each integration as it was written last",
    outdated: "the key holds the integration's time of change, so another row is another client",
  },
  "src/exchange/scm/host/health.ts": {
    kept: "what was written last of an integration's health, for a minute",
    outdated: "it only spares writes: another reason is written at once",
  },
  "src/exchange/scm/host/fileLists.ts": {
    kept: "file lists of pull requests, for an hour",
    outdated: "the key holds head, base and time of change; what is kept makes a preview too many, never one too few",
  },
  "src/exchange/scm/host/writers.ts": {
    kept: "who may write to a repository, for a minute",
    outdated:
      "a failure is not kept; access that was taken away counts for a minute more (test/exchange/scmReviews.test.ts)",
  },
  "src/exchange/scm/knownIntegrations.ts": {
    kept: "integrations of an organization and their webhook secrets, and for five minutes ids that there are not",
    outdated:
      "a delivery is stored only under the version of the rows; a bad signature reads them anew, so often a minute; a failure is " +
      "not kept; an id is never given twice",
  },
  "src/core/identity/signingKeys.ts": {
    kept: "the keys that sign identities, opened",
    outdated: "which one signs is read each time; a key never changes under its id",
  },
  "src/core/identity/wellKnownRoutes.ts": {
    kept: "the public halves of keys, for a moment",
    outdated: "a key is published a day before it signs, so that nobody needs it sooner",
  },
  "src/http/requestTurns.ts": {
    kept: "whose turn a credential takes, by its digest, for a minute",
    outdated: "it proves nothing: each request is authenticated in its turn (src/http/requestTurns.test.ts)",
  },
  "src/platform/turns/retryAfter.ts": {
    kept: "how many of a tenant's requests were refused lately, for half a minute",
    outdated: "it only says when to come again",
  },
  "src/http/failureLimit.ts": {
    kept: "how often a client address named what there is not or signed wrongly, for a minute",
    outdated: "it only spares looks: what is known is served whatever it says (test/core/unknownKeys.test.ts)",
  },
  "src/core/runners/groupAddresses.ts": {
    kept: "that a group's token was used from an address, for an hour",
    outdated: "it only spares looks: an address of another process is found in the table",
  },
  "src/exchange/scm/urlPattern.ts": { kept: "compiled expressions", outdated: "a text compiles to the same for ever" },
  "src/people/sso/discovery.ts": {
    kept: "issuers' descriptions, for 30 minutes, with the key sets the protocol's library hangs on them, and where asking was in vain",
    outdated:
      "a token that the keys refuse asks for description and keys once more, and not again for 30 s where that was in vain " +
      "(test/people/rotatedKeys.test.ts); a failure is kept for 30 s",
  },
  "src/core/cloud/preflight.ts": {
    kept: "that the service's own identity at a cloud works, for a minute",
    outdated: "a failure is not kept, and a run asks the cloud itself when it is accepted",
  },
  "src/core/cloud/aws/provider.ts": {
    kept: "a client with the service's own credentials, until they end",
    outdated:
      "an answer that they do not work makes another client, once, and not again for 30 s where that was in vain",
  },
  "src/core/cloud/gcp/provider.ts": {
    kept: "the service's own token, for an hour",
    outdated:
      "401 makes another, once, and not again for 30 s where that was in vain (test/core/runtimeCredentials.test.ts)",
  },
  "src/platform/egress/refusalLog.ts": {
    kept: "which refused addresses the operator's log had within a minute",
    outdated: "it only spares lines: a call is judged anew each time",
  },
  "src/platform/cache/renewable.ts": { kept: "what its callers make", outdated: "as each of them says here" },
  "src/platform/objects/sealed.ts": {
    kept: "which objects were found damaged while they were sent, for a minute",
    outdated: "one that is stored anew is another object; after a minute it is looked at again",
  },
  "src/platform/objects/s3Store.ts": {
    kept: "a client with the service's own credentials, until they end",
    outdated: "a refusal is an outage of the store, and the client looks for others when they end",
  },
  "src/core/runnerIdentity/keys.ts": {
    kept: "imported keys of runner groups, and for five minutes ids of groups that there are not",
    outdated: "the first statement of each request compares the fingerprint with the row; an id is never given twice",
  },
  "src/core/logs/logChunks.ts": { kept: "opened pieces of logs", outdated: "a sealed piece is never written again" },
  "src/graph/dependencies/graph.ts": { kept: "an organization's graph", outdated: "by the version that is read first" },
  "src/graph/dependencies/graphCycles.ts": { kept: "cycles of one graph", outdated: "they go with the graph" },
  "src/platform/crypto/kmsWrapper.ts": {
    kept: "wrapping keys, for five minutes",
    outdated:
      "a failure is not kept; a key that was disabled opens nothing after five minutes, as is said to operators",
  },
  "src/platform/cache/readCache.ts": { kept: "what its callers read", outdated: "as each of them says here" },
};

const MAKES_ONE = /\bnew (LRUCache|GoogleAuth|\w+Client)\b(?!Error)|\b(readCache|renewable)[(<]/;

it("every cache says what a refusal does to it", () => {
  const makers = globSync("{src,activities,workflows}/**/*.ts")
    .filter((file) => !file.endsWith(".test.ts"))
    .filter((file) => MAKES_ONE.test(readFileSync(file, "utf8")));
  expect(makers.sort()).toEqual(Object.keys(CACHES).sort());
});

it.each(Object.entries(CACHES))("%s: the test it names is there", (_, { outdated }) => {
  for (const [file] of outdated.matchAll(/test\/[\w/]+\.test\.ts/g)) expect(readFileSync(file, "utf8")).not.toBe("");
});
