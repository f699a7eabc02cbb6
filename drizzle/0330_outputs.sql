-- What each apply left as outputs, and what a plan without changes found. The newest that succeeded counts.
create table stack_outputs (
  run_id uuid primary key references runs on delete cascade,
  org_id uuid not null references organizations on delete cascade,
  stack_key uuid not null references stacks on delete cascade,
  -- Null when its runner could not read them.
  sealed bytea,
  -- Names of those that are other than after the newest one before. Null when that is unknown.
  changed text[],
  created_at timestamptz not null default svc_now()
);
create index stack_outputs_of_org on stack_outputs (org_id);
create index stack_outputs_of_stack on stack_outputs (stack_key, created_at desc);

-- Which stack is given the outputs of which.
create table output_readers (
  stack_key uuid not null references stacks on delete cascade,
  reader_key uuid not null references stacks on delete cascade,
  org_id uuid not null references organizations on delete cascade,
  -- Whether it is given what is sensitive, too.
  sensitive boolean not null,
  created_at timestamptz not null default svc_now(),
  primary key (stack_key, reader_key),
  check (stack_key <> reader_key)
);
create index output_readers_of_org on output_readers (org_id);
create index output_readers_of_reader on output_readers (reader_key);

-- The outputs of other stacks that a plan was given. Its apply gets them again.
create table plan_inputs (
  run_id uuid primary key references runs on delete cascade,
  org_id uuid not null,
  sealed bytea not null
);

-- A stack whose plan lacks what an apply of another one may bring.
create table output_waits (
  stack_key uuid not null references stacks on delete cascade,
  awaited_key uuid not null references stacks on delete cascade,
  org_id uuid not null references organizations on delete cascade,
  created_at timestamptz not null default svc_now(),
  primary key (stack_key, awaited_key)
);
create index output_waits_of_awaited on output_waits (awaited_key);
create index output_waits_of_org on output_waits (org_id);

create or replace function forget_plan_environments() returns trigger language plpgsql as $$
begin
  delete from plan_environments where run_id in (select id from runs where deployment_id = new.id);
  delete from plan_inputs where run_id in (select id from runs where deployment_id = new.id);
  return null;
end $$;

-- A stack that is deleted gives nothing any more, and is given nothing.
create function forget_outputs() returns trigger language plpgsql as $$
begin
  delete from stack_outputs where stack_key = new.stack_key;
  delete from output_readers where stack_key = new.stack_key or reader_key = new.stack_key;
  delete from output_waits where stack_key = new.stack_key or awaited_key = new.stack_key;
  return null;
end $$;
create trigger stacks_forget_outputs after update of deleted_at on stacks for each row
  when (old.deleted_at is null and new.deleted_at is not null)
  execute function forget_outputs();
