-- The first comments of a stack's configuration that could not be understood, each as `file:line: message`, and how many there are.
alter table dependency_state
  add column comment_errors jsonb not null default '[]' check (jsonb_typeof(comment_errors) = 'array' and jsonb_array_length(comment_errors) <= 50),
  add column comment_errors_count integer not null default 0 check (comment_errors_count >= 0);

-- Dependents of an apply are listed in an order, and with a cursor, that tell nothing of those the viewer may not read: the key of a
-- stack holds the time it was made, and is the same under every parent.
create index dependent_triggers_listed on dependent_triggers (
  parent_deployment_id, (md5(parent_deployment_id::text || dependent_stack_key::text)::uuid));
