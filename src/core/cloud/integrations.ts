/**
 * Cloud integrations of a stack: who may read and write them, and the set of roles as one whole
 * (docs/rules/cloud.md#aws-roles-are-one-set).
 */
import { eq, sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import { recordAudit } from "../../people/audit/record.ts";
import { permitted } from "../../people/authorization/grants.ts";
import type { Action } from "../../people/authorization/matrix.ts";
import type { Queryable, Tx } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { NotFoundError } from "../../platform/problems/problem.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import type { stacks } from "../stacks/schema.ts";
import { requireSlug } from "../stacks/slug.ts";
import { integrationChanges, integrationDetails } from "./auditDetails.ts";
import { RivalIntegrationError, UnsupportedRuntimeProviderError } from "./errors.ts";
import type { AwsConfig, CloudConfig, GoogleConfig, RuntimeProviders } from "./provider.ts";
import { PROVIDER_TYPES, type ProviderType, RIVALS } from "./providerType.ts";
import { cloudIntegrationRoles, type cloudIntegrations } from "./schema.ts";

export type CloudDeps = { service: Service; providers: RuntimeProviders };
export type CloudIntegration = SqlRow<typeof cloudIntegrations, "provider_type" | "stack_key"> & {
  config: CloudConfig;
};
export type StackPath = { orgId: string; stackId: string };
type Authorized = SqlRow<typeof stacks, "org_id" | "stack_key"> & { stack_name: string };

/** The integrations `i` with their configs, as the parser normalized them. */
const STORED = sql`i.id, i.stack_key, i.provider_type, case i.provider_type
  when 'cloud_b' then jsonb_build_object('service_account_email', i.service_account_email, 'use_in_previews', i.use_in_previews)
  when 'cloud_a' then jsonb_build_object('roles', (
    select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('name', r.name, 'role_arn', r.role_arn,
      'inline_policy', r.inline_policy, 'use_in_previews', r.use_in_previews)) order by r.name collate "C"), '[]')
    from cloud_integration_roles r where r.integration_id = i.id))
  else i.config end as config`;

/** What the stack's runs may use. For the accept route and the pre-flight, not for people. */
export async function integrationsOf(db: Queryable, stackKey: string): Promise<CloudIntegration[]> {
  return await db.execute<CloudIntegration>(sql`
    select ${STORED} from cloud_integrations i where i.stack_key = ${stackKey}
    order by i.provider_type`);
}

/**
 * The live stack of this id, if the subject may do `action` on its integration with one of `types`, in one statement.
 * @throws NotFoundError for a stranger, a missing stack and a missing permission alike
 */
export async function authorizeCloud(
  db: Queryable,
  subject: Subject,
  { orgId, stackId }: StackPath,
  types: readonly string[],
  action: Action<"cloud_integration">,
): Promise<Authorized> {
  requireUuids(orgId);
  requireSlug(stackId);
  const allowed = types.map((type) => mayUse(subject, orgId, action, sql`${type}::text`));
  const rows = await db.execute<Authorized>(sql`
    select s.org_id, s.stack_key, s.name as stack_name from stacks s
    where s.org_id = ${orgId} and s.slug = ${stackId} and s.deleted_at is null
      and (${sql.join(allowed, sql` or `)})`);
  return requireRow(rows);
}

function mayUse(subject: Subject, orgId: string, action: Action<"cloud_integration">, type: ReturnType<typeof sql>) {
  const name = sql`(s.name || ':' || ${type})`;
  return permitted(subject, orgId, { type: "cloud_integration", action, name, groups: sql`s.authz_groups` });
}

/** Those the subject may read, of a stack on which it may read some. @throws NotFoundError */
export async function listCloudIntegrations(
  db: Queryable,
  subject: Subject,
  path: StackPath,
): Promise<CloudIntegration[]> {
  const { stack_key } = await authorizeCloud(db, subject, path, PROVIDER_TYPES, "read");
  const readable = mayUse(subject, path.orgId, "read", sql`i.provider_type`);
  return await db.execute<CloudIntegration>(sql`
    select ${STORED} from cloud_integrations i join stacks s on s.stack_key = i.stack_key
    where i.stack_key = ${stack_key} and ${readable} order by i.provider_type`);
}

/** Needs (cloud_integration, read). @throws NotFoundError */
export async function readCloudIntegration(
  db: Queryable,
  subject: Subject,
  path: StackPath,
  type: string,
): Promise<CloudIntegration> {
  const { stack_key } = await authorizeCloud(db, subject, path, [type], "read");
  const stored = await load(db, stack_key, type);
  if (stored === null) throw new NotFoundError();
  return stored;
}

/**
 * Make the integration what `config` says, as a whole: a role left out is gone. The caller is authorized.
 * @throws NotFoundError when the stack is gone, UnsupportedRuntimeProviderError, InvalidValueError,
 * RivalIntegrationError
 */
export async function putCloudIntegration(
  { service, providers }: CloudDeps,
  subject: Subject,
  { stack_key: stackKey, org_id: orgId, stack_name: stack }: Authorized,
  type: string,
  sent: unknown,
): Promise<CloudIntegration> {
  const provider = providers.get(type as ProviderType);
  if (provider === undefined) throw new UnsupportedRuntimeProviderError(providers.keys());
  const config = provider.parseConfig(sent);
  await provider.assertOpen(config, orgId);
  return unitOfWork(service, async ({ tx }) => {
    await lockLiveStack(tx, stackKey);
    const rival = RIVALS[type];
    if (rival !== undefined && (await load(tx, stackKey, rival)) !== null) throw new RivalIntegrationError(type, rival);
    const before = await load(tx, stackKey, type);
    const changes = integrationChanges(type, before?.config ?? null, config);
    if (before !== null && changes === null) return before;
    await store(tx, stackKey, type, config);
    const details = { stack, provider_type: type, ...changes };
    await recordAudit(tx, {
      orgId,
      actor: subject,
      action: "cloud_integration.update",
      resourceId: `${stack}:${type}`,
      details,
    });
    return (await load(tx, stackKey, type)) as CloudIntegration;
  });
}

/** Runs that were accepted keep what they got, until it ends. The caller is authorized. @throws NotFoundError */
export async function deleteCloudIntegration(
  service: Service,
  subject: Subject,
  { stack_key: stackKey, org_id: orgId, stack_name: stack }: Authorized,
  type: string,
): Promise<void> {
  await unitOfWork(service, async ({ tx }) => {
    await lockLiveStack(tx, stackKey);
    const before = await load(tx, stackKey, type);
    if (before === null) throw new NotFoundError();
    await tx.execute(sql`delete from cloud_integrations where stack_key = ${stackKey} and provider_type = ${type}`);
    const details = { stack, provider_type: type, ...integrationDetails(type, before.config) };
    await recordAudit(tx, {
      orgId,
      actor: subject,
      action: "cloud_integration.delete",
      resourceId: `${stack}:${type}`,
      details,
    });
  });
}

/** Nothing runs for a deleted stack any more. In the transaction that deletes it. */
export async function removeCloudAccess(tx: Tx, stackKey: string): Promise<void> {
  await tx.execute(sql`delete from cloud_integrations where stack_key = ${stackKey}`);
}

/** Writers of one stack's integrations take turns, and none writes to a stack that is being deleted. */
async function lockLiveStack(tx: Tx, stackKey: string): Promise<void> {
  const rows = await tx.execute(sql`
    select 1 from stacks where stack_key = ${stackKey} and deleted_at is null for no key update`);
  requireRow(rows);
}

async function load(db: Queryable, stackKey: string, type: string): Promise<CloudIntegration | null> {
  const [row] = await db.execute<CloudIntegration>(sql`
    select ${STORED} from cloud_integrations i
    where i.stack_key = ${stackKey} and i.provider_type = ${type}`);
  return row ?? null;
}

async function store(tx: Tx, stackKey: string, type: string, config: CloudConfig): Promise<void> {
  const account = type === "cloud_b" ? (config as GoogleConfig) : null;
  const federated = type === "cloud_a" || type === "cloud_b" ? null : JSON.stringify(config);
  const [row] = await tx.execute<{ id: string }>(sql`
    insert into cloud_integrations (stack_key, provider_type, service_account_email, use_in_previews, config)
    values (${stackKey}, ${type}, ${account?.service_account_email ?? null}::text, ${account?.use_in_previews ?? true},
      ${federated}::jsonb)
    on conflict (stack_key, provider_type) do update set service_account_email = excluded.service_account_email,
      use_in_previews = excluded.use_in_previews, config = excluded.config, updated_at = svc_now()
    returning id`);
  const integrationId = row?.id as string;
  await tx.delete(cloudIntegrationRoles).where(eq(cloudIntegrationRoles.integrationId, integrationId));
  if (type !== "cloud_a") return;
  await tx.insert(cloudIntegrationRoles).values(
    (config as AwsConfig).roles.map((role) => ({
      integrationId,
      name: role.name,
      roleArn: role.role_arn,
      inlinePolicy: role.inline_policy ?? null,
      useInPreviews: role.use_in_previews,
    })),
  );
}
