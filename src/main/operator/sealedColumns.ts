/**
 * Every column of the database that holds envelopes, with the place each is bound to. A test compares it with the
 * schema.
 */
import type { KeyColumns } from "./rowKeys.ts";

export type SealedColumn = {
  table: string;
  column: string;
  key: KeyColumns;
};

/**
 * The row id of a place is the key's values joined by "/". Not among them: what a sign-in in progress keeps for its ten
 * minutes.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: "context_variables",
    column: "sealed",
    key: [
      ["context_id", "uuid"],
      ["name", "text"],
    ],
  },
  { table: "identity_sources", column: "client_secret", key: [["id", "uuid"]] },
  { table: "scm_integrations", column: "auth_config", key: [["id", "uuid"]] },
  { table: "notification_integrations", column: "auth_config", key: [["id", "uuid"]] },
  { table: "raw_commands", column: "script", key: [["id", "uuid"]] },
  { table: "schedules", column: "script", key: [["id", "uuid"]] },
  { table: "identity_keys", column: "private_key", key: [["id", "uuid"]] },
  { table: "plan_environments", column: "sealed", key: [["run_id", "uuid"]] },
  { table: "plan_inputs", column: "sealed", key: [["run_id", "uuid"]] },
  { table: "stack_outputs", column: "sealed", key: [["run_id", "uuid"]] },
  {
    table: "log_chunks",
    column: "live_bytes",
    key: [
      ["run_id", "uuid"],
      ["chunk_index", "int"],
    ],
  },
];
