-- Where previews go, and forks' previews: labels of runner groups. Null: where the stack's other runs go.
alter table stacks
  add column preview_runner_labels jsonb,
  add column fork_runner_labels jsonb,
  add constraint stacks_preview_runner_labels_check check (jsonb_typeof(preview_runner_labels) = 'object'),
  add constraint stacks_fork_runner_labels_check check (jsonb_typeof(fork_runner_labels) = 'object');

-- A preview of what nobody with a right to the repository put there runs behind a wall only.
alter table runs add column needs_wall boolean not null default false;
