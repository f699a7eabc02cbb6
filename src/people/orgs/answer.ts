/** An organization as people see it. */
import * as v from "valibot";
import { Id, pageOf, Time } from "../../http/answerFields.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { OrgRow } from "./schema.ts";

export const Org = v.pipe(
  v.object({
    id: Id,
    name: v.string(),
    is_personal: v.boolean(),
    login_handle: v.pipe(v.nullable(v.string()), v.metadata({ description: "What its people type to sign in here" })),
    max_users: v.number(),
    runs_per_hour_limit: v.number(),
    default_runner_group_id: v.nullable(Id),
    dispatch_throttled_until: v.nullable(Time),
    created_at: Time,
  }),
  v.metadata({ ref: "Organization" }),
);
export const OrgPage = v.pipe(pageOf(Org), v.metadata({ ref: "OrganizationPage" }));

export type OrgView = OrgRow & { throttledUntil: string | null };

export function orgAnswer(row: OrgView): v.InferInput<typeof Org> {
  return {
    id: row.id,
    name: row.name,
    is_personal: row.isPersonal,
    login_handle: row.loginHandle,
    max_users: row.maxUsers,
    runs_per_hour_limit: row.runsPerHourLimit,
    default_runner_group_id: row.defaultRunnerGroupId,
    dispatch_throttled_until: rfc3339(row.throttledUntil),
    created_at: rfc3339(row.createdAt),
  };
}
