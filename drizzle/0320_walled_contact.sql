-- When a coordinator of the group that has a wall around its runs was last heard of: without one, a fork's preview waits.
alter table runner_groups add column walled_contact_at timestamptz;
