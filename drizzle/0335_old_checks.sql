-- A stack that is checked every hour has thousands of checks a year, and what each found is told by then.
create index deployments_old_checks on deployments (completed_at) where mode = 'drift' and completed_at is not null;
