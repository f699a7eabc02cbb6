-- How an integration's host answered last: when it did, and when and why it did not. Not part of the integration's settings, so
-- `updated_at` stays.
alter table scm_integrations
  add column last_success_at timestamptz,
  add column last_failure_at timestamptz,
  add column last_failure text;
