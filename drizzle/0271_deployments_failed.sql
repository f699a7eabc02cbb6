-- What failed of an organization lately is counted whatever it has deployed before.
create index deployments_failed on deployments (org_id, completed_at) where status = 'failed';
