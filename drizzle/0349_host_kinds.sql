-- What kind of code host an integration leads to, which decides how it is spoken to and how its deliveries are read.
alter table scm_integrations
  add column host_kind text not null default 'github' check (host_kind in ('github', 'gitea', 'gitlab'));
-- What a test call found of the host's webhook, for one repository: whether it is there, and what is not ticked. Like the health
-- beside it no part of the settings, so `updated_at` stays.
alter table scm_integrations add column webhook_check jsonb;
