/** Which stacks are given a stack's outputs. The callers are authorized. */
import { sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import { recordAudit } from "../../people/audit/record.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { NotFoundError } from "../../platform/problems/problem.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import type { StackRow } from "../stacks/schema.ts";
import type { outputReaders } from "./schema.ts";

type ReaderRow = SqlRow<typeof outputReaders, "sensitive" | "created_at"> & { slug: string };

export async function listReaders(db: Queryable, { stackKey }: StackRow) {
  const rows = await db.execute<ReaderRow>(sql`
    select s.slug, g.sensitive, g.created_at::text as created_at
    from output_readers g join stacks s on s.stack_key = g.reader_key and s.deleted_at is null
    where g.stack_key = ${stackKey} order by s.slug collate "C"`);
  return { items: rows.map(readerAnswer) };
}

export async function setReader(
  service: Service,
  actor: Subject,
  stack: StackRow,
  reader: StackRow,
  sensitive: boolean,
) {
  if (stack.stackKey === reader.stackKey) {
    throw new InvalidValueError([{ field: "dependent_stack_id", message: "must be another stack" }]);
  }
  return unitOfWork(service, async ({ tx }) => {
    const changed = await tx.execute(sql`
      insert into output_readers as g (stack_key, reader_key, org_id, sensitive)
      values (${stack.stackKey}, ${reader.stackKey}, ${stack.orgId}, ${sensitive})
      on conflict (stack_key, reader_key) do update set sensitive = excluded.sensitive
        where g.sensitive <> excluded.sensitive returning 1`);
    if (changed.length > 0) await audited(tx, "output_reader.set", actor, stack, reader, { sensitive });
    const rows = await tx.execute<ReaderRow>(sql`
      select ${reader.slug}::text as slug, sensitive, created_at::text as created_at from output_readers
      where stack_key = ${stack.stackKey} and reader_key = ${reader.stackKey}`);
    return readerAnswer(rows[0] as ReaderRow);
  });
}

/** @throws NotFoundError */
export async function removeReader(service: Service, actor: Subject, stack: StackRow, readerSlug: string) {
  await unitOfWork(service, async ({ tx }) => {
    const removed = await tx.execute(sql`
      delete from output_readers g using stacks s
      where g.stack_key = ${stack.stackKey} and s.stack_key = g.reader_key and s.slug = ${readerSlug} returning 1`);
    if (removed.length === 0) throw new NotFoundError();
    await audited(tx, "output_reader.remove", actor, stack, { slug: readerSlug }, {});
  });
}

async function audited(
  tx: Queryable,
  action: "output_reader.set" | "output_reader.remove",
  actor: Subject,
  stack: StackRow,
  reader: Pick<StackRow, "slug">,
  more: object,
): Promise<void> {
  const details = { stack_id: stack.slug, reader_id: reader.slug, ...more };
  await recordAudit(tx, { orgId: stack.orgId, actor, action, resourceId: stack.slug, details });
}

function readerAnswer({ slug, sensitive, created_at }: ReaderRow) {
  return { stack_id: slug, sensitive, created_at: rfc3339(created_at) };
}
