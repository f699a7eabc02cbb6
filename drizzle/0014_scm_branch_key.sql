-- The workflow of a branch knows it by a key without names; its open events are looked up by that.
alter table scm_events add column branch_key text not null default '';
update scm_events set branch_key = integration_id || '/' || left(encode(sha256(convert_to(repository_key, 'UTF8')), 'hex'), 32)
  || '/' || left(encode(sha256(convert_to(branch, 'UTF8')), 'hex'), 32);
create index scm_events_open_by_key on scm_events (branch_key, id) where status in ('pending', 'failed');
drop index scm_events_open;
create index scm_events_refreshing on scm_events (org_id, repository_key, branch, created_at)
  where kind = 'pr_refresh_requested' and status in ('pending', 'failed');
