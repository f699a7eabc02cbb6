-- Every order of the stack list is read off an index, so that a page costs the same at ten and at ten thousand stacks
-- (design 9). The newest deployment's time changes once per deployment; its status, which changes often, is in no index.
create index stacks_by_latest_deployment on stacks (org_id, (coalesce(latest_deployment_created_at, '-infinity')), stack_key)
  where deleted_at is null;
create index stacks_by_name on stacks (org_id, name, stack_key) where deleted_at is null;
create index stacks_by_updated on stacks (org_id, updated_at, stack_key) where deleted_at is null;
