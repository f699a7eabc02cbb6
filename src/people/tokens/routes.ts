import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { listFields } from "../../http/listQuery.ts";
import { displayName } from "../../http/textFields.ts";
import { DurationField } from "../../platform/time/durations.ts";
import type { Service } from "../../work/service.ts";
import { requireSession } from "../authorization/requireSession.ts";
import { CreatedPersonalToken, PersonalTokenPage } from "./personalTokenAnswer.ts";
import {
  createPersonalToken,
  DEFAULT_LIFETIME_MS,
  deletePersonalToken,
  listPersonalTokens,
  MAX_LIFETIME_MS,
  PERSONAL_TOKEN_LIST,
} from "./personalTokens.ts";

const CreateTokenBody = v.strictObject({
  org_id: v.pipe(v.string(), v.uuid()),
  name: displayName(100),
  lifetime: v.optional(v.pipe(DurationField, v.maxValue(MAX_LIFETIME_MS, "must be at most P365D"))),
});

const TOKENS = "/api/v1/me/tokens";
const tag = "personal tokens";

/** The routes of a person's own tokens. */
export function personalTokenRoutes(app: Hono<AppEnv>, { db }: Pick<Service, "db">): void {
  endpoint(
    app,
    "post",
    TOKENS,
    {
      id: "createPersonalToken",
      tag,
      summary: "Create a personal token; its value is in this answer only",
      description: "By session only. The token acts as you, in this one organization.",
      body: CreateTokenBody,
      answer: CreatedPersonalToken,
      status: 201,
      problems: [403],
    },
    async ({ principal, body }) => {
      // Before the body: what a token may never do is said whatever it sends.
      requireSession(principal);
      const { org_id, name, lifetime = DEFAULT_LIFETIME_MS } = await body();
      return createPersonalToken(db, principal, { orgId: org_id, name, lifetime });
    },
  );
  endpoint(
    app,
    "get",
    TOKENS,
    {
      id: "listPersonalTokens",
      tag,
      summary: "List your tokens, without their values",
      query: v.strictObject(listFields(Object.keys(PERSONAL_TOKEN_LIST.fields))),
      answer: PersonalTokenPage,
      problems: [403],
    },
    async ({ principal, query }) => listPersonalTokens(db, principal, query()),
  );
  endpoint(
    app,
    "delete",
    `${TOKENS}/:token_id`,
    { id: "deletePersonalToken", tag, summary: "Delete one of your tokens", problems: [403, 404] },
    async ({ principal, params }) => deletePersonalToken(db, principal, params.token_id),
  );
}
