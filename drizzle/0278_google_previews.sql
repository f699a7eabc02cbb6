-- Whether runs of previews may act as the service account, as a role of AWS says it too.
alter table cloud_integrations add column use_in_previews boolean not null default true;
