-- Notifications in the forms of Slack and Microsoft Teams, and by e-mail.
alter table notification_integrations drop constraint notification_integrations_provider_type_check;
alter table notification_integrations add constraint notification_integrations_provider_type_check
  check (provider_type in ('webhook', 'chat', 'slack', 'teams', 'email'));
alter table notification_integrations add column provider_config jsonb not null default '{}';
-- Of an e-mail that some have got: who has not.
alter table notification_deliveries add column recipients text[];
