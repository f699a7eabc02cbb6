/** How one kind of integration differs from the others. */
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { ProblemError } from "../../platform/problems/problem.ts";
import type { Work } from "../../work/unitOfWork.ts";

export type CommonRow = { id: string; orgId: string; name: string };
export type CommonSettings = { name: string; auth_config?: object | undefined };

export type IntegrationKind<Row extends CommonRow, Settings extends CommonSettings, Auth extends object> = {
  type: "notification_integration" | "scm_integration";
  table: PgTable & Record<"id" | "orgId" | "name" | "createdAt", PgColumn>;
  nameTaken: new () => ProblemError;
  /** The settings that are no secrets, for the row. */
  columns(settings: Settings): Partial<Row>;
  /** The same of a row, for the audit trail. */
  details(row: Row): object;
  seal(keyring: Keyring, id: string, auth: Auth): Promise<Buffer>;
  /** @throws DecryptionError */
  open(keyring: Keyring, row: Row): Promise<Auth>;
  /** What a write makes of what is stored. @throws InvalidValueError */
  merge(stored: Auth | null, sent: Settings["auth_config"], settings: Settings): Auth;
  /** What people may see of it. */
  summary(auth: Auth): object;
  /** Which secrets came, went or are others; those that are there when what was before is not known. */
  changedSecrets(before: Auth | null, after: Auth): readonly string[];
  /** Refuses settings that must not go together with secrets of before. @throws InvalidValueError */
  checkSecrets?(stored: Row, settings: Settings, auth: () => Promise<Auth>): Promise<void>;
  /** What else a change means: called before the row is locked, and what it gives after the row is changed. */
  updating(work: Work, orgId: string): Promise<(before: Row, after: Row) => Promise<void>>;
  deleting(work: Work, row: Row): Promise<() => Promise<void>>;
};
