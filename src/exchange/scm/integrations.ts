/** Creating, changing, deleting and finding integrations with code hosts. */
import { and, asc, eq, getTableColumns, sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";
import { leaveUnserved } from "../../core/pullRequests/leave.ts";
import { type ListQuery, type ListRules, listPage } from "../../http/listQuery.ts";
import type { Subject } from "../../http/principal.ts";
import { recordAudit } from "../../people/audit/record.ts";
import { requireOrg, requireResource } from "../../people/authorization/authorize.ts";
import { ifReadable } from "../../platform/crypto/envelope.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Db, Queryable } from "../../platform/db/client.ts";
import { isUuid } from "../../platform/ids/uuid.ts";
import { NotFoundError, ProblemError } from "../../platform/problems/problem.ts";
import { requireRow } from "../../platform/problems/requireRow.ts";
import { uniqueName } from "../../platform/problems/uniqueName.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork, type Work } from "../../work/unitOfWork.ts";
import { changedAuth, integrationChanges, integrationDetails } from "./auditDetails.ts";
import {
  type AuthConfigBody,
  mergeAuth,
  NO_AUTH,
  openAuth,
  requireCredentialSent,
  sealAuth,
  summaryOf,
} from "./authConfig.ts";
import { type IntegrationRow, scmIntegrations } from "./schema.ts";
import { firstMatch } from "./urlPattern.ts";

class NameTakenError extends ProblemError {
  constructor() {
    super({ status: 409, code: "conflict", detail: "This organization already has an SCM integration of that name." });
  }
}

export type IntegrationSettings = {
  name: string;
  url_pattern: string;
  priority: number;
  api_base_url: string | null;
  auth_config?: AuthConfigBody | undefined;
};

export type IntegrationDeps = {
  service: Service;
  keyring: Keyring;
  /** Refuses hosts that outbound calls may not reach (docs/rules/secrets.md#outbound-calls). @throws a ProblemError */
  checkHost(host: string, port: number): Promise<unknown>;
};

/** Needs (scm_integration, create) on the proposed name. @throws ForbiddenError, NameTakenError, InvalidValueError */
export async function createIntegration(
  { service, keyring, checkHost }: IntegrationDeps,
  subject: Subject,
  orgId: string,
  settings: IntegrationSettings,
): Promise<IntegrationRow> {
  await requireOrg(service.db, subject, orgId, {
    type: "scm_integration",
    action: "create",
    resourceId: settings.name,
  });
  await checkBase(checkHost, settings.api_base_url);
  const id = uuidv7();
  const auth = settings.auth_config === undefined ? NO_AUTH : mergeAuth(NO_AUTH, settings.auth_config);
  const values = { ...columnsOf(settings), authConfigSummary: summaryOf(auth) };
  const authConfig = await sealAuth(keyring, id, auth);
  return uniqueName(NameTakenError, () =>
    unitOfWork(service, async ({ tx }) => {
      const [row] = await tx
        .insert(scmIntegrations)
        .values({ id, orgId, authConfig, ...values })
        .returning();
      await recordAudit(tx, audit(row!, subject, "scm_integration.create"));
      return row!;
    }),
  );
}

/** Replace the settings of the integration that `authorizeIntegration(..., "update")` gave; secrets left out stay, on the same host. */
export async function updateIntegration(
  { service, keyring, checkHost }: IntegrationDeps,
  subject: Subject,
  { id, orgId, name }: IntegrationRow,
  settings: IntegrationSettings,
): Promise<IntegrationRow> {
  if (settings.name !== name) {
    const check = { type: "scm_integration", action: "update", resourceId: settings.name } as const;
    await requireResource(service.db, subject, orgId, check);
  }
  await checkBase(checkHost, settings.api_base_url);
  return uniqueName(NameTakenError, () =>
    unitOfWork(service, async (work) => {
      const { tx } = work;
      const served = await integrationsInOrder(tx, orgId);
      const rows = await tx.select().from(scmIntegrations).where(eq(scmIntegrations.id, id)).for("no key update");
      const stored = requireRow(rows);
      const { authChanged, ...sealed } = await sealedAuth(keyring, stored, settings);
      const [row] = await tx
        .update(scmIntegrations)
        .set({ ...columnsOf(settings), ...sealed, updatedAt: sql`svc_now()` })
        .where(eq(scmIntegrations.id, id))
        .returning();
      if (settings.url_pattern !== stored.urlPattern) await leaveLost(work, orgId, served);
      const details = integrationChanges(stored, row!, authChanged);
      await recordAudit(tx, audit(row!, subject, "scm_integration.update", details));
      return row!;
    }),
  );
}

async function sealedAuth(
  keyring: Keyring,
  stored: IntegrationRow,
  { api_base_url, auth_config }: IntegrationSettings,
) {
  const moves = api_base_url !== stored.apiBaseUrl;
  if (auth_config === undefined) {
    if (moves) requireCredentialSent(await openAuth(keyring, stored), undefined);
    return { authChanged: [] };
  }
  // What no key opens any more is repaired by sending all of it again.
  const before = await ifReadable(openAuth(keyring, stored));
  const auth = mergeAuth(before ?? NO_AUTH, auth_config);
  if (moves) requireCredentialSent(auth, auth_config);
  const authConfig = await sealAuth(keyring, stored.id, auth);
  return { authConfig, authConfigSummary: summaryOf(auth), authChanged: changedAuth(before, auth) };
}

/** Its inbox goes with it; stacks it served and no other serves leave their pull requests, and count as public from then on. */
export async function deleteIntegration(service: Service, subject: Subject, row: IntegrationRow): Promise<void> {
  await unitOfWork(service, async (work) => {
    const { tx } = work;
    const served = await integrationsInOrder(tx, row.orgId);
    const gone = await tx.delete(scmIntegrations).where(eq(scmIntegrations.id, row.id)).returning();
    if (gone.length === 0) return;
    await leaveLost(work, row.orgId, served);
    await recordAudit(tx, audit(row, subject, "scm_integration.delete"));
  });
}

/** What the integrations as they were served and those of now do not. */
async function leaveLost(work: Work, orgId: string, before: readonly IntegrationRow[]): Promise<void> {
  const after = await integrationsInOrder(work.tx, orgId);
  await leaveUnserved(work, orgId, (url) => firstMatch(before, url) !== null && firstMatch(after, url) === null);
}

/** The integration, if the subject may do that with it. @throws NotFoundError, the uniform 404 */
export async function authorizeIntegration(
  db: Queryable,
  subject: Subject,
  orgId: string,
  id: string,
  action: "read" | "update" | "delete",
): Promise<IntegrationRow> {
  const [row] =
    isUuid(orgId) && isUuid(id)
      ? await db
          .select()
          .from(scmIntegrations)
          .where(and(eq(scmIntegrations.id, id), eq(scmIntegrations.orgId, orgId)))
      : [];
  await requireResource(db, subject, orgId, { type: "scm_integration", action, resourceId: row?.name ?? "" });
  if (row === undefined) throw new NotFoundError();
  return row;
}

export const INTEGRATION_LIST = {
  fields: {
    created_at: { value: sql`${scmIntegrations.createdAt}`, type: "timestamptz" },
    name: { value: sql`${scmIntegrations.name}`, type: "text" },
  },
  byDefault: "created_at",
  id: sql`${scmIntegrations.id}`,
  idType: "uuid",
} as const satisfies ListRules<string>;

/** Needs (scm_integration, read) of the whole family. @throws ForbiddenError, InvalidValueError */
export async function listIntegrations(db: Db, subject: Subject, orgId: string, query: ListQuery) {
  const list = listPage(query, INTEGRATION_LIST);
  await requireOrg(db, subject, orgId, { type: "scm_integration", action: "read" });
  const rows = await db
    .select({ ...getTableColumns(scmIntegrations), sort_value: list.sortValue })
    .from(scmIntegrations)
    .where(sql`${scmIntegrations.orgId} = ${orgId} and ${list.after}`)
    .orderBy(list.orderBy)
    .limit(list.limit);
  return list.cut(rows, (row) => row.id);
}

/** The integrations of an organization in the order they are tried. */
export async function integrationsInOrder(db: Queryable, orgId: string): Promise<IntegrationRow[]> {
  return db
    .select()
    .from(scmIntegrations)
    .where(eq(scmIntegrations.orgId, orgId))
    .orderBy(asc(scmIntegrations.priority), asc(scmIntegrations.id));
}

/**
 * The integration that serves a repository; null: it counts as public
 * (docs/rules/source-control.md#which-integration-serves-a-repository).
 */
export async function integrationFor(
  db: Queryable,
  orgId: string,
  repositoryUrl: string,
): Promise<IntegrationRow | null> {
  return firstMatch(await integrationsInOrder(db, orgId), repositoryUrl);
}

function columnsOf({ name, url_pattern, priority, api_base_url }: IntegrationSettings) {
  return { name, urlPattern: url_pattern, priority, apiBaseUrl: api_base_url };
}

async function checkBase(checkHost: IntegrationDeps["checkHost"], base: string | null): Promise<void> {
  const url = base === null ? null : URL.parse(base);
  if (url === null) return;
  const port = Number(url.port) || (url.protocol === "http:" ? 80 : 443);
  try {
    await checkHost(url.hostname.replace(/^\[|\]$/g, ""), port);
  } catch (error) {
    // A name that does not resolve now is checked again at each call; one that may not be called is refused here.
    if (error instanceof ProblemError && error.status === 422) throw error;
  }
}

function audit(
  row: IntegrationRow,
  { id, kind }: Subject,
  action: `scm_integration.${"create" | "update" | "delete"}`,
  details: Record<string, unknown> = integrationDetails(row),
) {
  return { orgId: row.orgId, actor: { id, kind }, action, resourceId: row.id, details };
}
