/**
 * What people do with an organization's integrations of one kind: rows of unique names, whose secrets can be written
 * and never read. A kind says how it differs; statements, checks and audit entries are the same for all.
 */
import type { CommonRow, CommonSettings, IntegrationKind } from "./kind.ts";
import { reading } from "./reading.ts";
import { writing } from "./writing.ts";

export function sealedIntegrations<Row extends CommonRow, Settings extends CommonSettings, Auth extends object>(
  kind: IntegrationKind<Row, Settings, Auth>,
) {
  return { ...reading<Row>(kind), ...writing(kind) };
}
