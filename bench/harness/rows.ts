/** The rows that benches and tests begin with: organizations, runner groups with real keys, stacks. */
import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import { generateGroupKeyPair } from "../../src/core/runnerIdentity/keys.ts";
import { repositoryKey } from "../../src/core/stacks/repositoryUrl.ts";

export const COMMIT = "0123456789abcdef0123456789abcdef01234567";

/** An organization without any group. */
export async function insertOrg(
  sql: postgres.Sql,
  { name = "acme", runsPerHour = 1_000_000 }: { name?: string; runsPerHour?: number | undefined } = {},
): Promise<string> {
  const [org] = await sql`
    insert into organizations (name, runs_per_hour_limit) values (${name}, ${runsPerHour}) returning id`;
  return org?.id;
}

export type KeyedGroup = { groupId: string; privateKeyPem: string; fingerprint: string };

/** A runner group with a key pair; the organization's default one unless it has labels. */
export async function insertGroup(
  sql: postgres.Sql,
  orgId: string,
  {
    name = "default",
    labels = {},
    capacity = 10_000,
  }: { name?: string; labels?: Record<string, string>; capacity?: number | undefined } = {},
): Promise<KeyedGroup> {
  const { publicKeyPem, privateKeyPem, fingerprint } = generateGroupKeyPair();
  const [group] = await sql`
    insert into runner_groups (org_id, name, labels, max_concurrent_runs, public_key_pem, public_key_fingerprint)
    values (${orgId}, ${name}, ${sql.json(labels)}, ${capacity}, ${publicKeyPem}, ${fingerprint}) returning id`;
  if (Object.keys(labels).length === 0) {
    await sql`update organizations set default_runner_group_id = ${group?.id} where id = ${orgId}`;
  }
  await sql`select match_selectors(${orgId})`;
  return { groupId: group?.id, privateKeyPem, fingerprint };
}

export type StackRow = { stack_key: string; slug: string };

/** `count` stacks; `settings` are further columns. */
export async function insertStacks(
  sql: postgres.Sql,
  orgId: string,
  count: number,
  settings: Record<string, unknown> = {},
): Promise<StackRow[]> {
  const prefix = `stack-${randomUUID().slice(0, 8)}`;
  const repository_url = (settings.repository_url as string | undefined) ?? "https://git.example/r.git";
  const rows = Array.from({ length: count }, (_, i) => ({
    org_id: orgId,
    slug: `${prefix}-${i}`,
    name: `${prefix}-${i}`,
    repository_url,
    repository_key: repositoryKey(repository_url),
    branch: "main",
    ...settings,
  }));
  const made: StackRow[] = [];
  // A statement has room for 65,535 parameters.
  for (let from = 0; from < rows.length; from += 1_000) {
    const batch = rows.slice(from, from + 1_000);
    made.push(...(await sql<StackRow[]>`insert into stacks ${sql(batch)} returning stack_key, slug`));
  }
  return made;
}
