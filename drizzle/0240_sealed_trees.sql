-- The files a plan was made from are kept for its apply; their digest is fixed when the plan succeeds.
alter table runs add column tree_sha256 text;
alter table artifacts drop constraint artifacts_kind_check;
alter table artifacts add constraint artifacts_kind_check
  check (kind in ('plan', 'analysis', 'plan-json', 'changes', 'plan-text', 'tree'));
