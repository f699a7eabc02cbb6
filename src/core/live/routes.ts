/** `GET /api/v1/orgs/{org_id}/live`: what changes in an organization, as hints to read again. */
import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import type { Subject } from "../../http/principal.ts";
import { ForbiddenError } from "../../people/authorization/authorize.ts";
import { type StackGrants, stackGrants } from "../../people/authorization/stackGrants.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { isUuid } from "../../platform/ids/uuid.ts";
import { DEPLOYMENT_STATUSES } from "../deployments/lifecycle.ts";
import { type LogReading, openStream } from "../logs/readLogs.ts";
import { authorizeStack } from "../stacks/authorizeStack.ts";
import { LiveFeed } from "./liveFeed.ts";
import { readLive } from "./liveRows.ts";
import { followLive, type Hint, hintOf, isFor, type Narrowed } from "./liveStream.ts";

const LiveQuery = v.strictObject({
  stack: v.optional(v.pipe(v.string(), v.regex(/^[a-z0-9._-]{1,100}$/), v.metadata({ description: "A stack's id" }))),
  deployment: v.optional(v.pipe(v.string(), v.uuid(), v.metadata({ format: "uuid" }))),
});

const text = v.string();
const Live = v.pipe(
  v.object({
    items: v.array(v.object({ deployment: text, stack: text, status: v.picklist(DEPLOYMENT_STATUSES), version: text })),
    truncated: v.boolean(),
  }),
  v.metadata({ ref: "Live" }),
);
const SHOWN = 1_000;

const LIVE = `Deployments that have not ended, at most ${SHOWN}, of the stacks that the caller may read.
With Accept: text/event-stream an event stream follows of \`hint\` events with the same fields, one after each change: what
to read again, never what changed. \`version\` is another text after each change and says nothing else. A stream has no
memory: read once after its first event, \`open\`. It ends after 15 minutes, and when its reader may not read any more, which is asked
every 15 seconds. 404 for a \`stack\` that the caller may not read.`;

export type LiveParts = Pick<LogReading, "db" | "recheckMs" | "access" | "onError"> & {
  feed: Pick<LogReading["feed"], "closing">;
};

export function liveRoutes(app: Hono<AppEnv>, { db, recheckMs, access, onError, feed: { closing } }: LiveParts): void {
  const feed = new LiveFeed(db, closing);
  endpoint(
    app,
    "get",
    "/api/v1/orgs/:org_id/live",
    {
      id: "followOrganization",
      tag: "deployments",
      summary: "What has not ended, or an event stream of what changes",
      description: LIVE,
      query: LiveQuery,
      answer: Live,
      problems: [403, 404],
    },
    async ({ principal, params: { org_id: orgId }, query, c }) => {
      const narrowed = query();
      let held = await mayRead(db, principal, orgId, narrowed);
      if (!/\btext\/event-stream\b/i.test(c.req.header("accept") ?? "")) return snapshot(db, orgId, held, narrowed);
      if (!readsAnything(held)) throw new ForbiddenError();
      const headers = {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "x-accel-buffering": "no",
        vary: "accept",
      };
      // Nobody will read the body of an answer to HEAD, nor tell that they have left.
      if (c.req.method === "HEAD") return c.body(null, 200, headers);
      const mayStillRead = async () => {
        held = await mayRead(db, await c.var.authenticate(c), orgId, narrowed);
        if (!readsAnything(held)) throw new ForbiddenError();
      };
      const stream = openStream({ recheckMs, access, closing, mayStillRead });
      const hints = followLive(feed, { orgId, held: () => held, narrowed }, stream.signal);
      return c.body(stream.body(hints, encodeHint, onError), 200, headers);
    },
  );
}

/** @throws NotFoundError for a stack, of all that are named, that the subject may not read */
async function mayRead(db: Queryable, subject: Subject, orgId: string, { stack }: Narrowed): Promise<StackGrants> {
  if (stack !== undefined) await authorizeStack(db, subject, orgId, stack, "read");
  return stackGrants(db, subject, orgId);
}

function readsAnything({ super_admin, grants }: StackGrants): boolean {
  return super_admin || grants.some(({ action }) => action === "read" || action === "*");
}

async function snapshot(db: Queryable, orgId: string, held: StackGrants, narrowed: Narrowed) {
  if (!isUuid(orgId) || !readsAnything(held)) return { items: [], truncated: false };
  const rows = (await readLive(db, [orgId], 0)).filter((row) => isFor(row, held, narrowed));
  return {
    items: rows.slice(0, SHOWN).map(hintOf) as v.InferInput<typeof Live>["items"],
    truncated: rows.length > SHOWN,
  };
}

function encodeHint(hint: Hint | null): string {
  if (hint === null) return "event: open\ndata: {}\n\n";
  return `event: hint\ndata: ${JSON.stringify(hint)}\n\n`;
}
