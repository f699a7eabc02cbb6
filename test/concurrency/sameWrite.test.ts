/**
 * Every writing route of the published document, called by several at the same moment on one row: whoever comes second
 * is carried out too, or told of a conflict. A row that is there is never said to be missing, and nothing ends in an
 * error of ours.
 */
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { carryOutDecision } from "../../src/core/deployments/transitions/decide.ts";
import { carryOutBatch } from "../../src/core/deployments/transitions/decideMany.ts";
import { refreshInbox } from "../../src/exchange/scm/inbox.ts";
import { ACCESS } from "../support/accessTable.ts";
import { everything, type Ids } from "../support/accessWorld.ts";
import { PREPARED } from "../support/auditedCalls.ts";
import { HEAD } from "../support/cascades.ts";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

const AT_ONCE = 6;

/**
 * The first of them ends what all name, so the others rightly find nothing, or no reason to ask for it; a link begins
 * at a provider, and writes nothing that others name.
 */
const ENDS = [
  "signOut",
  "deliverWebhook",
  "confirmSignIn",
  "approveDeviceLogin",
  "acceptMembershipOffer",
  "startLinking",
];

type Operation = { id: string; method: string; path: string };
const document = JSON.parse(await readFile(new URL("../../docs/openapi.json", import.meta.url), "utf8"));
const operations: Operation[] = Object.entries(
  document.paths as Record<string, Record<string, { operationId: string; security?: unknown }>>,
).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([method, { security }]) => ["post", "put", "patch"].includes(method) && security === undefined)
    .map(([method, { operationId }]) => ({ id: operationId, method: method.toUpperCase(), path })),
);

let api: PeopleApi;
beforeAll(async () => {
  api = await startPeopleApi({
    // A place for each, so that none waits for the one before.
    env: { SVC_DATABASE_POOL: `${2 * AT_ONCE}`, SVC_EGRESS_ALLOW: "127.0.0.1/32" },
    txt: async () => ["organization-proof=known"],
    git: { allowProtocol: ["https"], checkHost: async () => {}, headAtHost: async () => HEAD },
    pullRequests: { host: { standing: async () => ({ relation: "ahead" }) }, inbox: refreshInbox },
    sender: {
      decide: (_deployment, _kind, decisionId) => carryOutDecision(api.service, decisionId, "api"),
      decideMany: (batchId) => carryOutBatch(api.service, batchId),
    },
  });
});
afterAll(() => api.close());

describe.each(operations.filter(({ id }) => !ENDS.includes(id)))("$method $path", ({ id, method, path }) => {
  test(`${id}: the second is carried out, or told of a conflict`, async () => {
    const own = await everything(api);
    const caller = await api.makeUser({ superAdmin: true, orgs: [own.org_id!], grants: [["*", "*"]] });
    const prepared = await PREPARED[id]?.(api, own, caller);
    const ids: Ids = { ...own, ...prepared?.ids };
    const entry = ACCESS[`${method} ${path.replace(/\{(\w+)\}/g, ":$1")}`];
    const filled = path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(ids[key] ?? ""));
    const made = prepared?.body ?? entry?.body?.({ own, other: own, missing: own }, 1);
    const body = id === "replaceStackSettings" ? { ...(made as object), ...(await nameOf(filled, caller)) } : made;
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, nth) =>
        api.call(method, filled + (prepared?.query ?? ""), {
          ...caller,
          ...(body === undefined ? {} : { body: varied(body, nth) }),
          ...(prepared?.headers && { headers: prepared.headers }),
        }),
      ),
    );
    const unexpected = answers.filter(({ status }) => status >= 300 && status !== 409 && status !== 429);
    expect(unexpected.map(({ status, text }) => `${status} ${text.slice(0, 300)}`)).toEqual([]);
    expect(answers.some(({ status }) => status < 300)).toBe(true);
  });
});

/** A new name would be a new id, and the old one is then not there any more. */
async function nameOf(path: string, caller: { user: string }): Promise<object> {
  return { name: (await api.call("GET", path, caller)).body.name };
}

/** A switch that some of the callers want on and some off, so that what one compared is changed by another. */
function varied(body: unknown, nth: number): unknown {
  const settings = (typeof body === "object" ? body : {}) as Record<string, unknown>;
  return "display_name" in settings ? { ...settings, enabled: nth % 2 === 0 } : body;
}
