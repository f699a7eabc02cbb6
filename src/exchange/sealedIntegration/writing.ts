/** Creating, changing and deleting integrations of any kind. */
import { and, eq, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { v7 as uuidv7 } from "uuid";
import type { Subject } from "../../http/principal.ts";
import { recordAudit } from "../../people/audit/record.ts";
import { requireOrg, requireResource } from "../../people/authorization/authorize.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { requireRow } from "../../platform/problems/requireRow.ts";
import { uniqueRow } from "../../platform/problems/uniqueRow.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import { auditedChanges, changedColumns, sealedColumns } from "./changes.ts";
import type { CommonRow, CommonSettings, IntegrationKind } from "./kind.ts";

export type SealedDeps = { service: Service; keyring: Keyring };

const unchecked = async () => {};

export function writing<Row extends CommonRow, Settings extends CommonSettings, Auth extends object>(
  kind: IntegrationKind<Row, Settings, Auth>,
) {
  const { type } = kind;
  const table: PgTable = kind.table;
  const { id: idColumn, orgId: orgColumn, name: nameColumn } = kind.table;
  /** Of a table that is a parameter the library cannot say what its rows are. */
  const rowsOf = (rows: unknown) => rows as Row[];

  /** Looked at before anything outside is asked; the index decides. @throws NameTakenError */
  async function assertFree(db: Queryable, orgId: string, name: string): Promise<void> {
    const its = and(eq(orgColumn, orgId), eq(nameColumn, name));
    const rows = await db.select({ id: idColumn }).from(table).where(its);
    if (rows.length > 0) throw new kind.nameTaken();
  }

  function audit(row: Row, subject: Subject, action: "create" | "update" | "delete", details = kind.details(row)) {
    const actor = { id: subject.id, kind: subject.kind };
    const change = { action: `${type}.${action}` as const, resourceId: row.id, details: { ...details } };
    return { orgId: row.orgId, actor, ...change };
  }

  return {
    /**
     * Needs `create` on the proposed name.
     * @param check asked once that is sure.
     * @throws ForbiddenError, InvalidValueError, NameTakenError
     */
    async create(
      { service, keyring }: SealedDeps,
      subject: Subject,
      orgId: string,
      settings: Settings,
      check: () => Promise<void> = unchecked,
    ): Promise<Row> {
      await requireOrg(service.db, subject, orgId, { type, action: "create", resourceId: settings.name });
      await assertFree(service.db, orgId, settings.name);
      await check();
      const id = uuidv7();
      const secrets = await sealedColumns(kind, keyring, id, kind.merge(null, settings.auth_config, settings));
      const values = { id, orgId, ...kind.columns(settings), ...secrets };
      return uniqueRow(kind.nameTaken, () =>
        unitOfWork(service, async ({ tx }) => {
          const row = requireRow(rowsOf(await tx.insert(table).values(values).returning()));
          await recordAudit(tx, audit(row, subject, "create"));
          return row;
        }),
      );
    },

    /**
     * Replace the settings of the one that `authorize` gave for "update"; secrets left out stay, if they may.
     * @throws as `create`
     */
    async update(
      { service, keyring }: SealedDeps,
      subject: Subject,
      { id, orgId, name }: Row,
      settings: Settings,
      check: () => Promise<void> = unchecked,
    ): Promise<Row> {
      if (settings.name !== name) {
        await requireResource(service.db, subject, orgId, { type, action: "update", resourceId: settings.name });
        await assertFree(service.db, orgId, settings.name);
      }
      await check();
      const its = eq(idColumn, id);
      return uniqueRow(kind.nameTaken, () =>
        unitOfWork(service, async (work) => {
          const { tx } = work;
          const updated = await kind.updating(work, orgId);
          const stored = requireRow(rowsOf(await tx.select().from(table).where(its).for("no key update")));
          const { secrets, columns } = await changedColumns(kind, keyring, stored, settings);
          const set = { ...kind.columns(settings), ...columns, updatedAt: sql`svc_now()` };
          const row = requireRow(rowsOf(await tx.update(table).set(set).where(its).returning()));
          await updated(stored, row);
          const details = auditedChanges(kind.details(stored), kind.details(row), secrets);
          await recordAudit(tx, audit(row, subject, "update", details));
          return row;
        }),
      );
    },

    /** The one that `authorize` gave for "delete". */
    async remove(service: Service, subject: Subject, row: Row): Promise<void> {
      await unitOfWork(service, async (work) => {
        const deleted = await kind.deleting(work, row);
        const gone = await work.tx.delete(table).where(eq(idColumn, row.id)).returning({ id: idColumn });
        if (gone.length === 0) return;
        await deleted();
        await recordAudit(work.tx, audit(row, subject, "delete"));
      });
    },
  };
}
