/**
 * The first organization of an installation, made with database access before anybody can sign in
 * (docs/rules/organizations.md#the-first-organization).
 */
import { and, eq, inArray, sql } from "drizzle-orm";
import { insertGroup } from "../../core/runners/groups.ts";
import { runnerGroups } from "../../core/runners/schema.ts";
import { lockSelectors, rematch } from "../../core/runners/selectors.ts";
import { recordAudit } from "../../people/audit/record.ts";
import { insertOrg, systemRoleId } from "../../people/orgs/orgs.ts";
import { bootstrappedOrganizations as b, organizations } from "../../people/orgs/schema.ts";
import { roleAssignments } from "../../people/roles/schema.ts";
import { serviceAccounts } from "../../people/serviceAccounts/schema.ts";
import { DEFAULT_LIFETIME_MS, mintToken } from "../../people/serviceAccounts/tokens.ts";
import type { Db, Tx } from "../../platform/db/client.ts";
import { operator } from "./actor.ts";
import { UsageError } from "./commandLine.ts";
import { groupKeyFile } from "./groupKeyFile.ts";
import { type Mended, mendAccount } from "./mendAccount.ts";

export type BootstrapOptions = {
  orgName: string;
  /** An organization that bootstrap did not make, to be taken from now on under this name. */
  orgId?: string;
  /** Stored on the organization when it is created. */
  runsPerHour: number;
  maxUsers: number;
  /** The organization's default runner group; its private key goes into `keyFile`, readable by its owner alone. */
  runnerGroup?: { name: string; keyFile: string; maxConcurrentRuns?: number };
  /** Mint a token although the account has one already, whose value nobody can read again. */
  newToken?: boolean;
  /** Put the account right again where it lost its rights or this token, undefined at the first start. */
  mend?: { token: string | undefined };
};

export type Bootstrapped = {
  org_id: string;
  org_name: string;
  runs_per_hour_limit: number;
  service_account_id: string;
  /** Null when the account had a valid token before, or is disabled. */
  admin_token: string | null;
  runner_group_id: string | null;
  /** What was wrong with the account and has been mended, where that was asked for. */
  mended: Mended;
  /** Whether the key in `keyFile` is the group's; false after a rotation, or when the file is gone. */
  runner_key_valid: boolean | null;
};

const ACCOUNT = "bootstrap";
/** Any constant: two bootstraps at once must not make two organizations. */
const LOCK = 7_261_550_002;

/**
 * Create what is missing of: the organization (known by what an earlier bootstrap of this name made), a service account
 * in role `admin`, a token for it, the runner group. Doing it again changes nothing.
 */
export async function bootstrap(db: Db, options: BootstrapOptions): Promise<Bootstrapped> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${LOCK})`);
    const org = await ensureOrg(tx, options);
    const accountId = await ensureAccount(tx, org.id);
    const state = options.mend
      ? await mendAccount(tx, { orgId: org.id, accountId, token: options.mend.token })
      : { needsToken: options.newToken || (await needsToken(tx, accountId)), mended: [] };
    const token = state.needsToken ? await mint(tx, org.id, accountId) : null;
    const group = options.runnerGroup ? await ensureGroup(tx, org.id, options.runnerGroup) : null;
    return {
      org_id: org.id,
      org_name: org.name,
      runs_per_hour_limit: org.runsPerHourLimit,
      service_account_id: accountId,
      admin_token: token,
      mended: state.mended,
      runner_group_id: group?.id ?? null,
      runner_key_valid: group?.keyValid ?? null,
    };
  });
}

/**
 * The one that a bootstrap of this name made, whatever it is called now. Anybody may call an organization so: one that
 * bootstrap did not make gets neither account nor group unless it is named by its id. @throws UsageError
 */
async function ensureOrg(tx: Tx, { orgName, orgId, maxUsers, runsPerHour }: BootstrapOptions) {
  const made = tx.select({ id: b.orgId }).from(b).where(eq(b.name, orgName));
  const [known] = await tx.select().from(organizations).where(inArray(organizations.id, made));
  if (known !== undefined) return known;
  const shared = eq(organizations.isPersonal, false);
  const which = orgId === undefined ? eq(organizations.name, orgName) : sql`${organizations.id}::text = ${orgId}`;
  const [found] = await tx.select().from(organizations).where(and(which, shared)).limit(1);
  if (orgId === undefined && found !== undefined) {
    throw new UsageError(
      `there is an organization "${orgName}" that bootstrap did not make; add --org-id ID to take one`,
    );
  }
  if (orgId !== undefined && found === undefined) throw new UsageError("there is no organization of that id");
  const org = found ?? (await insertOrg(tx, orgName, { maxUsers, runsPerHour }));
  await tx.insert(b).values({ orgId: org.id, name: orgName });
  await audit(tx, org.id, found === undefined ? "organization.create" : "organization.update", org.id, {
    bootstrap: orgName,
  });
  return org;
}

function audit(
  tx: Tx,
  orgId: string,
  action:
    | "organization.create"
    | "organization.update"
    | "service_account.create"
    | "service_account_token.create"
    | "runner_group.create",
  resourceId: string,
  details: Record<string, unknown>,
): Promise<void> {
  return recordAudit(tx, { orgId, actor: operator(), action, resourceId, details });
}

async function ensureAccount(tx: Tx, orgId: string): Promise<string> {
  const named = and(eq(serviceAccounts.orgId, orgId), eq(serviceAccounts.name, ACCOUNT));
  const [found] = await tx.select({ id: serviceAccounts.id }).from(serviceAccounts).where(named);
  if (found) return found.id;
  const [account] = await tx.insert(serviceAccounts).values({ orgId, name: ACCOUNT }).returning();
  const roleId = await systemRoleId(tx, "admin");
  await tx.insert(roleAssignments).values({ orgId, roleId, serviceAccountId: account!.id });
  await audit(tx, orgId, "service_account.create", account!.id, { name: ACCOUNT, roles: [roleId] });
  return account!.id;
}

/** An account that somebody disabled gets none: that was meant. */
async function needsToken(tx: Tx, accountId: string): Promise<boolean> {
  const needing = await tx.execute(sql`
    select from service_accounts a where a.id = ${accountId} and a.disabled_at is null and not exists (
      select from service_account_tokens t where t.service_account_id = a.id and t.expires_at > svc_now())`);
  return needing.length > 0;
}

async function mint(tx: Tx, orgId: string, accountId: string): Promise<string> {
  const minted = await mintToken(tx, accountId, { name: ACCOUNT, lifetime: DEFAULT_LIFETIME_MS, createdBy: null });
  const details = { service_account_id: accountId, name: ACCOUNT, expires_at: minted.expires_at };
  await audit(tx, orgId, "service_account_token.create", minted.id, details);
  return minted.token;
}

/** The one whose key the file holds, whatever it is called now; else the one of this name. */
async function knownGroup(tx: Tx, orgId: string, name: string, fingerprint: string | undefined) {
  const ofOrg = await tx.select().from(runnerGroups).where(eq(runnerGroups.orgId, orgId));
  return (
    ofOrg.find((group) => group.publicKeyFingerprint === fingerprint) ?? ofOrg.find((group) => group.name === name)
  );
}

async function ensureGroup(tx: Tx, orgId: string, group: NonNullable<BootstrapOptions["runnerGroup"]>) {
  await lockSelectors(tx, orgId);
  const known = await groupKeyFile(group.keyFile, { create: false });
  const found = await knownGroup(tx, orgId, group.name, known?.fingerprint);
  if (found) {
    return { id: found.id, keyValid: known?.fingerprint === found.publicKeyFingerprint };
  }
  // The file comes before the commit: a key without a group is used by the next attempt, a group without a key by
  // nobody.
  const key = await groupKeyFile(group.keyFile, { create: true });
  const settings = { name: group.name, labels: {}, max_concurrent_runs: group.maxConcurrentRuns ?? 10 };
  const work = { tx, pendingSelectors: new Set<string>() };
  const { id } = await insertGroup(work, orgId, settings, key!);
  await tx
    .update(organizations)
    .set({ defaultRunnerGroupId: id })
    .where(and(eq(organizations.id, orgId), sql`default_runner_group_id is null`));
  await rematch(work, orgId, id);
  await audit(tx, orgId, "runner_group.create", id, { name: group.name });
  return { id, keyValid: true };
}
