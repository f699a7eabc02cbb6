import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { listFields } from "../../http/listQuery.ts";
import { displayName } from "../../http/textFields.ts";
import { DurationField } from "../../platform/time/durations.ts";
import type { Service } from "../../work/service.ts";
import { ACCOUNT_LIST, createAccount, deleteAccount, getAccount, listAccounts, renameAccount } from "./accounts.ts";
import { CreatedToken, ServiceAccount, ServiceAccountPage, ServiceAccountTokenPage } from "./answer.ts";
import { disableAccount, enableAccount } from "./disable.ts";
import { createToken, DEFAULT_LIFETIME_MS, deleteToken, listTokens, MAX_LIFETIME_MS, TOKEN_LIST } from "./tokens.ts";

const CreateAccountBody = v.strictObject({
  name: displayName(100),
  role_ids: v.optional(v.pipe(v.array(v.pipe(v.string(), v.uuid())), v.maxLength(20)), []),
});
const RenameBody = v.strictObject({ name: displayName(100) });
const CreateTokenBody = v.strictObject({
  name: displayName(100),
  lifetime: v.optional(v.pipe(DurationField, v.maxValue(MAX_LIFETIME_MS, "must be at most P365D"))),
});

const TokenQuery = v.strictObject({
  ...listFields(Object.keys(TOKEN_LIST.fields)),
  created_by: v.optional(
    v.pipe(
      v.string(),
      v.minLength(1),
      v.maxLength(1000),
      v.metadata({ description: "Id of the person who minted it" }),
    ),
  ),
});

const ACCOUNTS = "/api/v1/orgs/:org_id/service-accounts";
const ONE = "/api/v1/orgs/:org_id/service-accounts/:account_id";
const TOKENS = "/api/v1/orgs/:org_id/service-accounts/:account_id/tokens";
const TOKEN = "/api/v1/orgs/:org_id/service-accounts/:account_id/tokens/:token_id";
const ALL_TOKENS = "/api/v1/orgs/:org_id/service-account-tokens";
const tag = "service accounts";

/** Service accounts and their tokens (docs/rules/organizations.md#service-accounts). */
export function serviceAccountRoutes(app: Hono<AppEnv>, { db }: Service): void {
  const create = { tag, status: 201, problems: [403, 404, 409] } as const;
  endpoint(
    app,
    "post",
    ACCOUNTS,
    {
      id: "createServiceAccount",
      summary: "Create a service account",
      description: "Roles can be given only by who may assign roles and holds all they confer.",
      body: CreateAccountBody,
      answer: ServiceAccount,
      ...create,
    },
    async ({ principal, params, body }) => createAccount(db, principal, params.org_id, await body()),
  );
  endpoint(
    app,
    "get",
    ACCOUNTS,
    {
      id: "listServiceAccounts",
      tag,
      summary: "List service accounts",
      query: v.strictObject(listFields(Object.keys(ACCOUNT_LIST.fields))),
      answer: ServiceAccountPage,
      problems: [403],
    },
    async ({ principal, params, query }) => listAccounts(db, principal, params.org_id, query()),
  );
  endpoint(
    app,
    "get",
    ONE,
    { id: "getServiceAccount", tag, summary: "Read a service account", answer: ServiceAccount, problems: [403, 404] },
    async ({ principal, params }) => getAccount(db, principal, params.org_id, params.account_id),
  );
  endpoint(
    app,
    "patch",
    ONE,
    {
      id: "renameServiceAccount",
      tag,
      summary: "Rename a service account",
      body: RenameBody,
      answer: ServiceAccount,
      problems: [403, 404, 409],
    },
    async ({ principal, params, body }) =>
      renameAccount(db, principal, params.org_id, params.account_id, (await body()).name),
  );
  endpoint(
    app,
    "post",
    `${ONE}/disable`,
    {
      id: "disableServiceAccount",
      tag,
      summary: "Disable a service account",
      description:
        "Ends its access at once and deletes its tokens and the invitations it gave; enabling it brings none of them back.",
      answer: ServiceAccount,
      problems: [403, 404, 409],
    },
    async ({ principal, params }) => disableAccount(db, principal, params.org_id, params.account_id),
  );
  endpoint(
    app,
    "post",
    `${ONE}/enable`,
    {
      id: "enableServiceAccount",
      tag,
      summary: "Let a disabled service account get tokens again",
      answer: ServiceAccount,
      problems: [403, 404],
    },
    async ({ principal, params }) => enableAccount(db, principal, params.org_id, params.account_id),
  );
  endpoint(
    app,
    "delete",
    ONE,
    { id: "deleteServiceAccount", tag, summary: "Delete a service account with its tokens", problems: [403, 404, 409] },
    async ({ principal, params }) => deleteAccount(db, principal, params.org_id, params.account_id),
  );

  endpoint(
    app,
    "post",
    TOKENS,
    {
      id: "createServiceAccountToken",
      summary: "Create a token; its value is in this answer only",
      body: CreateTokenBody,
      answer: CreatedToken,
      ...create,
    },
    async ({ principal, params, body }) => {
      const { name, lifetime = DEFAULT_LIFETIME_MS } = await body();
      return createToken(db, principal, params.org_id, params.account_id, { name, lifetime });
    },
  );
  endpoint(
    app,
    "get",
    TOKENS,
    {
      id: "listServiceAccountTokens",
      tag,
      summary: "List an account's tokens, without their values",
      query: TokenQuery,
      answer: ServiceAccountTokenPage,
      problems: [403, 404],
    },
    async ({ principal, params, query }) => listTokens(db, principal, params.org_id, params.account_id, query()),
  );
  endpoint(
    app,
    "get",
    ALL_TOKENS,
    {
      id: "listOrganizationTokens",
      tag,
      summary: "List the tokens of all service accounts, for example those that one person minted",
      query: TokenQuery,
      answer: ServiceAccountTokenPage,
      problems: [403],
    },
    async ({ principal, params, query }) => listTokens(db, principal, params.org_id, null, query()),
  );
  endpoint(
    app,
    "delete",
    TOKEN,
    { id: "deleteServiceAccountToken", tag, summary: "Delete a token", problems: [403, 404] },
    async ({ principal, params }) => deleteToken(db, principal, params.org_id, params.account_id, params.token_id),
  );
}
