-- The variables that a plan was made with. Its apply gets them, whatever the contexts say by then.
create table plan_environments (
  run_id uuid primary key references runs on delete cascade,
  org_id uuid not null,
  -- Null for a plan that was given no variables.
  sealed bytea
);

-- Nothing of a deployment that ended can be applied any more, whichever way it ended.
create function forget_plan_environments() returns trigger language plpgsql as $$
begin
  delete from plan_environments where run_id in (select id from runs where deployment_id = new.id);
  return null;
end $$;
create trigger deployments_forget_environments after update of completed_at on deployments for each row
  when (old.completed_at is null and new.completed_at is not null and old.status <> 'queued' and new.mode in ('plan', 'destroy', 'refresh'))
  execute function forget_plan_environments();
