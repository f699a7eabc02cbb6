/** Integrations with code hosts. */
import { isIP } from "node:net";
import { asc, eq } from "drizzle-orm";
import { unlinkUnserved } from "../../core/pullRequests/unlinkStack.ts";
import type { Subject } from "../../http/principal.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { EgressRefusedError } from "../../platform/egress/errors.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import type { Work } from "../../work/unitOfWork.ts";
import { sealedIntegrations } from "../sealedIntegration/sealedIntegrations.ts";
import type { SealedDeps } from "../sealedIntegration/writing.ts";
import {
  type AuthConfig,
  type AuthConfigBody,
  changedSecrets,
  mergeAuth,
  NO_AUTH,
  openAuth,
  requireCredentialSent,
  sealAuth,
  summaryOf,
} from "./authConfig.ts";
import { HOST_NAMES, type HostKind } from "./hostKind.ts";
import { type IntegrationRow, scmIntegrations } from "./schema.ts";
import { keyOf } from "./signature.ts";
import { firstMatch } from "./urlPattern.ts";

class ClosedAddressError extends ProblemError {
  constructor() {
    const detail = "This service may not call this address; its operator can open it with SVC_EGRESS_ALLOW.";
    const errors = [{ field: "api_base_url", message: "may not be called" }];
    super({ status: 422, code: "invalid_value", detail, errors });
  }
}

class PlainHttpError extends ProblemError {
  constructor() {
    const detail =
      "Over plain http this service calls only addresses that its operator opened: give one of https, or the operator " +
      "can open it with SVC_EGRESS_ALLOW.";
    const errors = [{ field: "api_base_url", message: "expected an https address" }];
    super({ status: 422, code: "invalid_value", detail, errors });
  }
}

class NameTakenError extends ProblemError {
  constructor() {
    super({ status: 409, code: "conflict", detail: "This organization already has an SCM integration of that name." });
  }
}

export type IntegrationSettings = {
  name: string;
  host_kind: HostKind;
  url_pattern: string;
  priority: number;
  api_base_url: string | null;
  host_names: string[];
  auth_config?: AuthConfigBody | undefined;
};

export type IntegrationDeps = SealedDeps & {
  /** Refuses hosts that outbound calls may not reach (docs/rules/secrets.md#outbound-calls). @throws a ProblemError */
  checkHost(orgId: string, host: string, port: number, which: "all" | "opened"): Promise<unknown>;
};

const integrations = sealedIntegrations<IntegrationRow, IntegrationSettings, AuthConfig>({
  type: "scm_integration",
  table: scmIntegrations,
  nameTaken: NameTakenError,
  columns: ({ name, host_kind, url_pattern, priority, api_base_url, host_names }) => ({
    hostKind: host_kind,
    hostNames: host_names,
    name,
    urlPattern: url_pattern,
    priority,
    apiBaseUrl: api_base_url,
  }),
  details: ({ authConfigSummary: auth, ...row }) => ({
    name: row.name,
    host_kind: row.hostKind,
    url_pattern: row.urlPattern,
    priority: row.priority,
    api_base_url: row.apiBaseUrl,
    host_names: row.hostNames,
    auth,
  }),
  seal: sealAuth,
  open: openAuth,
  merge: (stored, sent) => (sent === undefined ? NO_AUTH : mergeAuth(stored ?? NO_AUTH, sent)),
  summary: summaryOf,
  changedSecrets,
  async checkSecrets({ apiBaseUrl, hostKind, hostNames }, settings, auth) {
    const { api_base_url, host_kind, host_names, auth_config } = settings;
    // Of another kind the same settings lead to another public host.
    const goesElsewhere =
      api_base_url !== apiBaseUrl || host_kind !== hostKind || host_names.some((name) => !hostNames.includes(name));
    if (goesElsewhere) requireCredentialSent(await auth(), auth_config);
  },
  async updating(work, orgId) {
    const served = await integrationsInOrder(work.tx, orgId);
    return async (before, after) => {
      if (after.urlPattern !== before.urlPattern) await leaveLost(work, orgId, served);
    };
  },
  // Its inbox goes with it; stacks it served and no other serves leave their pull requests, and count as public from
  // then on.
  async deleting(work, { orgId }) {
    const served = await integrationsInOrder(work.tx, orgId);
    return () => leaveLost(work, orgId, served);
  },
});

export const {
  authorize: authorizeIntegration,
  list: listIntegrations,
  remove: deleteIntegration,
  listRules: INTEGRATION_LIST,
} = integrations;

/** Needs (scm_integration, create) on the proposed name. @throws ForbiddenError, NameTakenError, InvalidValueError */
export function createIntegration(
  deps: IntegrationDeps,
  subject: Subject,
  orgId: string,
  settings: IntegrationSettings,
): Promise<IntegrationRow> {
  requireFitting(settings);
  return integrations.create(deps, subject, orgId, settings, () => checkBase(deps, orgId, settings.api_base_url));
}

/**
 * Replace the settings of the one that `authorizeIntegration(..., "update")` gave; secrets left out stay, on the same
 * host.
 */
export function updateIntegration(
  deps: IntegrationDeps,
  subject: Subject,
  row: IntegrationRow,
  settings: IntegrationSettings,
): Promise<IntegrationRow> {
  requireFitting(settings);
  return integrations.update(deps, subject, row, settings, () => checkBase(deps, row.orgId, settings.api_base_url));
}

/** @throws InvalidValueError for what the kind of host does not have */
function requireFitting({ host_kind, api_base_url, auth_config }: IntegrationSettings): void {
  const errors = [
    ...(host_kind === "gitea" && api_base_url === null
      ? [{ field: "api_base_url", message: "is required for gitea, for example https://git.corp.example/api/v1" }]
      : []),
    ...(host_kind !== "github" && auth_config?.kind === "app"
      ? [{ field: "auth_config.kind", message: `${HOST_NAMES[host_kind]} has no apps: use a token` }]
      : []),
    ...(host_kind === "gitlab" && isNoKey(auth_config?.webhook_secret)
      ? [{ field: "auth_config.webhook_secret", message: "begins with whsec_, and what follows is no key in base64" }]
      : []),
  ];
  if (errors.length > 0) throw new InvalidValueError(errors);
}

/** A signing token that lost a part on its way: whatever the host signs would be refused. */
function isNoKey(secret: string | null | undefined): boolean {
  return secret?.startsWith("whsec_") === true && keyOf(secret).length === 0;
}

/** What the integrations as they were served and those of now do not. */
async function leaveLost(work: Work, orgId: string, before: readonly IntegrationRow[]): Promise<void> {
  const after = await integrationsInOrder(work.tx, orgId);
  await unlinkUnserved(work, orgId, (url) => firstMatch(before, url) !== null && firstMatch(after, url) === null);
}

/** The integrations of an organization in the order they are tried: of equal priority the one that was made first. */
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

async function checkBase({ checkHost }: IntegrationDeps, orgId: string, base: string | null): Promise<void> {
  const url = base === null ? null : URL.parse(base);
  if (url === null) return;
  const port = Number(url.port) || (url.protocol === "http:" ? 80 : 443);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  // In clear, a token is for nobody's eyes but those of the operator's own network.
  const isPlain = url.protocol === "http:";
  try {
    await checkHost(orgId, host, port, isPlain ? "opened" : "all");
  } catch (error) {
    if (isPlain && !(error instanceof ProblemError && error.retryAfterSeconds !== undefined))
      throw new PlainHttpError();
    // Of a name it is not told whether it leads anywhere, and each call checks it. An address says so itself.
    if (error instanceof EgressRefusedError && isIP(host)) throw new ClosedAddressError();
    if (error instanceof ProblemError && (error.status === 422 || error.retryAfterSeconds !== undefined)) throw error;
  }
}
