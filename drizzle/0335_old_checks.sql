-- A stack that is checked every hour has thousands of checks a year, and what each found is told by then.
create index deployments_old_checks on deployments (completed_at) where mode = 'drift' and completed_at is not null;
-- Their rows are gone with them, and what names one is found without reading all of its table.
create index deployment_events_by_stage on deployment_events (stage_id) where stage_id is not null;
create index pull_request_stacks_by_latest on pull_request_stacks (latest_deployment_id) where latest_deployment_id is not null;
