/** What a deployment's plan needs in approvals, who gave them, and who could: one statement. */
import { sql } from "drizzle-orm";
import * as v from "valibot";
import { Id, Time } from "../../http/answerFields.ts";
import { ActorAnswer, actorColumn } from "../../people/actors/actor.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { requireRow } from "../../platform/problems/requireRow.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { PlanSummary } from "../runs/protocol.ts";
import { isDestructive } from "./gate.ts";
import { VERDICTS } from "./schema.ts";

/** As many names as one reads. */
const MOST_CANDIDATES = 20;
/** Of the newest; a plan that has more is looked at in the activity log. */
const MOST_REVIEWS = 100;

const Asked = v.object({
  source: v.picklist(["rule", "policy"]),
  id: Id,
  name: v.string(),
  reason: v.nullable(v.string()),
  count: v.number(),
  from: v.pipe(
    v.array(v.string()),
    v.metadata({ description: "Whose approvals count, in words; none: whoever may review the stack" }),
  ),
  given: v.array(ActorAnswer),
  missing: v.number(),
  could: v.pipe(
    v.array(ActorAnswer),
    v.metadata({ description: `Who could give what is missing; at most ${MOST_CANDIDATES}` }),
  ),
});

const Review = v.object({
  id: Id,
  plan_run_id: v.pipe(
    v.nullable(v.string()),
    v.metadata({ description: "Null for a preview that nobody had started" }),
  ),
  reviewer: v.nullable(ActorAnswer),
  verdict: v.picklist(VERDICTS),
  comment: v.nullable(v.string()),
  created_at: Time,
  standing: v.pipe(
    v.picklist(["counts", "replaced", "voided", "own_change", "not_asked"]),
    v.metadata({
      description:
        "`replaced` by a newer one of the same person, `voided` with its plan, `own_change`: of who made the change, `not_asked`: of who may not review any more or is not among the approvers",
    }),
  ),
});

export const DeploymentApprovals = v.pipe(
  v.object({
    plan_run_id: v.pipe(v.nullable(v.string()), v.metadata({ description: "The plan that reviews are about now" })),
    blocked: v.pipe(v.boolean(), v.metadata({ description: "Whether they keep the plan from being applied" })),
    deadline_at: v.pipe(v.nullable(Time), v.metadata({ description: "It is skipped then, unless they are there" })),
    required: v.array(Asked),
    reviews: v.pipe(v.array(Review), v.metadata({ description: `Newest first; at most ${MOST_REVIEWS}` })),
  }),
  v.metadata({ ref: "DeploymentApprovals" }),
);
type DeploymentApprovals = v.InferInput<typeof DeploymentApprovals>;
type Row = Omit<DeploymentApprovals, "required"> & {
  mode: string;
  summary: PlanSummary | null;
  required: (v.InferInput<typeof Asked> & { destructive: boolean })[] | null;
};

export async function readApprovals(db: Queryable, deploymentId: string): Promise<DeploymentApprovals> {
  const given = sql`(select coalesce(jsonb_agg(${actorColumn(sql`(g ->> 'id')`, sql`(g ->> 'kind')`)}), '[]') from jsonb_array_elements(a -> 'given') g)`;
  const rows = await db.execute<Row>(sql`
    select d.mode, plan.id as plan_run_id, missing.value is not null as blocked,
      d.waiting_since + (select l.deadline_ms from approval_limits(d) l) * interval '1 millisecond' as deadline_at,
      (select r.plan_summary from runs r where r.id = plan.id) as summary,
      (select jsonb_agg(a || jsonb_build_object(
          'given', ${given},
          'missing', greatest((a ->> 'count')::int - jsonb_array_length(a -> 'given'), 0),
          'could', case when d.status <> 'waiting' or (a ->> 'count')::int <= jsonb_array_length(a -> 'given') then '[]' else (
            select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'kind', p.kind, 'name', p.name)), '[]')
            from asked_approvals(d, plan.id) q, possible_approvers(d, plan.id, q.approvers, a -> 'given', ${MOST_CANDIDATES}) p
            where q.id::text = a ->> 'id') end) order by place)
        from jsonb_array_elements(approvals.value -> 'required') with ordinality e (a, place)) as required,
      (select coalesce(jsonb_agg(jsonb_build_object('id', w.id, 'plan_run_id', w.plan_run_id, 'verdict', w.verdict, 'comment', w.comment,
          'created_at', w.created_at, 'reviewer', ${actorColumn(sql`w.reviewer_id`, sql`w.reviewer_kind`)}, 'standing', case
            when w.plan_run_id is distinct from plan.id then 'voided'
            when w.replaced then 'replaced'
            when w.verdict = 'reject' then case when approvals.value -> 'rejections' @> w.who then 'counts' else 'not_asked' end
            when approvals.value -> 'makers' @> w.who then 'own_change'
            when exists (select from jsonb_array_elements(approvals.value -> 'required') a where a -> 'given' @> w.who) then 'counts'
            else 'not_asked' end) order by w.seq desc), '[]')
        from (
          select v.*, jsonb_build_array(jsonb_build_object('kind', v.reviewer_kind, 'id', v.reviewer_id)) as who,
            exists (select from deployment_reviews n where n.deployment_id = v.deployment_id and n.seq > v.seq
              and n.plan_run_id is not distinct from v.plan_run_id and n.reviewer_kind = v.reviewer_kind and n.reviewer_id = v.reviewer_id) as replaced
          from deployment_reviews v where v.deployment_id = d.id order by v.seq desc limit ${MOST_REVIEWS}) w) as reviews
    from deployments d cross join lateral (select waiting_plan(d.id) as id offset 0) plan
      cross join lateral (select approvals_of(d, plan.id) as value offset 0) approvals
      cross join lateral (select missing_approvals(d) as value offset 0) missing
    where d.id = ${deploymentId}`);
  const { mode, summary, required, ...row } = requireRow(rows);
  return {
    ...row,
    deadline_at: rfc3339(row.deadline_at),
    required: (required ?? [])
      .filter(({ destructive }) => !destructive || isDestructive(mode, summary))
      .map(({ source, id, name, reason, count, from, given: by, missing, could }) => ({
        ...{ source, id, name, reason, count, from, given: by, missing, could },
      })),
    reviews: row.reviews.map((review) => ({ ...review, created_at: rfc3339(review.created_at) })),
  };
}
