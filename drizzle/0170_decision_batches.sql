-- A bulk decision is one batch of decision rows, carried out in one transaction (docs/rules/deployments.md#bulk-decisions).

-- Shared by the decisions of one request; null: it came alone.
alter table decisions add column batch uuid;
create index decisions_by_batch on decisions (batch, id) where batch is not null;

-- What `lock_lane` does, for many deployments of one stack at once: the same locks in the same order, each kind in one statement, then
-- what the transition decides on, read after them. A deployment that is gone, or of another stack than the first one's, is not in it.
-- The text of a pull request decides nothing and may be long.
create function lock_lanes(p_deployments uuid[]) returns jsonb language plpgsql volatile as $$
declare
  v_stack stacks;
  v_lanes jsonb;
begin
  select s.* into v_stack from stacks s
  where s.stack_key = (select d.stack_key from deployments d where d.id = any(p_deployments) order by d.id limit 1) for no key update;
  perform 1 from deployments where id = any(p_deployments) and stack_key = v_stack.stack_key order by id for no key update;
  perform 1 from runs where deployment_id = any(p_deployments) order by id for no key update;
  select coalesce(jsonb_agg(jsonb_build_object(
      'deployment', to_jsonb(d) - 'origin_pr_title' - 'origin_pr_body',
      'runs', (select coalesce(jsonb_agg(to_jsonb(r) || jsonb_build_object('last_seen_at', l.last_seen_at) order by r.id), '[]')
        from runs r left join run_liveness l on l.run_id = r.id where r.deployment_id = d.id),
      'stages', (select coalesce(jsonb_agg(to_jsonb(s) order by s.position), '[]') from stages s where s.deployment_id = d.id)
    ) order by d.id), '[]') into v_lanes
  from deployments d where d.id = any(p_deployments) and d.stack_key = v_stack.stack_key;
  return jsonb_build_object('now', svc_now(), 'stack', to_jsonb(v_stack), 'lanes', v_lanes);
end $$;
