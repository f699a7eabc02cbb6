-- Where a deployment's code stands to its stack's branch, as the code host or a runner knows it. Of what was made by hand before, nobody
-- knows: its runner looks. A process of the version before leaves it away, so the default is what admits least.
alter table deployments add column provenance text not null default 'unknown'
  constraint deployments_provenance check (provenance in ('branch', 'pull_request', 'fork', 'local', 'foreign', 'unknown'));

update deployments d set provenance = case
    when origin_type = 'local' then 'local'
    when origin_type in ('push', 'dependency') or mode = 'raw' then 'branch'
    when coalesce((select p.is_fork from pull_requests p where p.id = d.pull_request_id), origin_type = 'pull_request') then 'fork'
    else 'pull_request' end
  where origin_type <> 'manual' or mode = 'raw';
