-- The files of plans are kept for a time of their own.
alter table retention_progress drop constraint retention_progress_kind_check;
alter table retention_progress add constraint retention_progress_kind_check
  check (kind in ('logs', 'artifacts', 'trees', 'deployment_events'));
