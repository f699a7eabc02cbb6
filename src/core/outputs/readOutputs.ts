/** What the newest run of a stack left as outputs, for people: of what is sensitive one at a time, and by name. */
import { sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import { recordAudit } from "../../people/audit/record.ts";
import { permitted } from "../../people/authorization/grants.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { Joined } from "../../platform/db/sqlRow.ts";
import { NotFoundError } from "../../platform/problems/problem.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { ReportedOutput } from "../runs/outputs.ts";
import type { StackRow } from "../stacks/schema.ts";
import type { StackOutput, StackOutputs } from "./answer.ts";
import { type NewestOutputs, newestOutputs, type OutputVault, openOutputs } from "./outputs.ts";

/** @throws DecryptionError */
export async function readOutputs(vault: OutputVault, subject: Subject, stack: StackRow): Promise<StackOutputs> {
  const [newest, waits_for] = await Promise.all([newestOf(vault, stack), awaitedStacks(vault.db, subject, stack)]);
  if (newest === null) {
    return { known: false, run_id: null, deployment_id: null, as_of: null, items: [], waits_for };
  }
  const { run_id, deployment_id, completed_at, outputs } = newest;
  const as_of = completed_at === null ? null : rfc3339(completed_at);
  return { known: outputs !== null, run_id, deployment_id, as_of, items: (outputs ?? []).map(hidden), waits_for };
}

/** @throws NotFoundError when there is none by this name, DecryptionError */
export async function readOutput(vault: OutputVault, stack: StackRow, name: string): Promise<StackOutput> {
  return hidden((await namedOutput(vault, stack, name)).output);
}

/** With its value, whatever it is. Who took one that is sensitive is in the trail. @throws the same */
export async function revealOutput(
  vault: OutputVault,
  actor: Subject,
  stack: StackRow,
  name: string,
): Promise<StackOutput> {
  const { run_id, output } = await namedOutput(vault, stack, name);
  if (output.sensitive) {
    const details = { stack_id: stack.slug, output: name, run_id };
    await recordAudit(vault.db, {
      orgId: stack.orgId,
      actor,
      action: "output.read",
      resourceId: stack.slug,
      details,
    });
  }
  return output;
}

function hidden(output: ReportedOutput): StackOutput {
  return output.sensitive ? { ...output, value: null } : output;
}

async function namedOutput(vault: OutputVault, stack: StackRow, name: string) {
  const newest = await newestOf(vault, stack);
  const output = newest?.outputs?.find((each) => each.name === name);
  if (newest === null || output === undefined) throw new NotFoundError();
  return { run_id: newest.run_id, output };
}

type Newest = Omit<NewestOutputs, "sealed"> & { outputs: ReportedOutput[] | null };

/** Null before the first apply. @throws DecryptionError */
async function newestOf({ db, keyring }: OutputVault, { stackKey }: StackRow): Promise<Newest | null> {
  const [row] = await db.execute<Joined<NewestOutputs>>(sql`
    select a.* from stacks s left join lateral (${newestOutputs}) a on true where s.stack_key = ${stackKey}`);
  if (row === undefined || row.run_id === null) return null;
  const { sealed, ...run } = row;
  return { ...run, outputs: sealed === null ? null : await openOutputs(keyring, run.run_id, sealed) };
}

type Awaited = { stack_id: string | null; created_at: string };

async function awaitedStacks(db: Queryable, subject: Subject, { orgId, stackKey }: StackRow) {
  const readable = permitted(subject, orgId, {
    type: "stack",
    action: "read",
    name: sql`s.name`,
    groups: sql`s.authz_groups`,
  });
  const rows = await db.execute<Awaited>(sql`
    select case when ${readable} then s.slug end as stack_id, w.created_at::text as created_at
    from output_waits w join stacks s on s.stack_key = w.awaited_key
    where w.stack_key = ${stackKey} order by w.created_at, s.slug collate "C"`);
  return rows.map(({ stack_id, created_at }) => ({ stack_id, since: rfc3339(created_at) }));
}
