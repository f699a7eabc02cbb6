-- The stack list's order by the end of the latest deployment, read off an index like every other (0006_stack_list.sql). The
-- column changes twice in a deployment's life. The status changes six times, so it is in no index and no order: it is a filter.
create index stacks_by_latest_completed on stacks (org_id, (coalesce(latest_deployment_completed_at, '-infinity')), stack_key)
  where deleted_at is null;
