-- Keys that sign the identities of runs. The newest that signs already signs; one is published a while before and after.
create table identity_keys (
  id uuid primary key default uuidv7(),
  -- PKCS#8, sealed.
  private_key bytea not null,
  public_jwk jsonb not null,
  signs_from timestamptz not null,
  created_at timestamptz not null default svc_now()
);

-- Of integrations by which a cloud trusts the service as an issuer; nothing in it is a secret.
alter table cloud_integrations
  add column config jsonb,
  drop constraint cloud_integrations_provider_type_check,
  add constraint cloud_integrations_provider_type_check check (provider_type in
    ('cloud_a', 'cloud_b', 'aws_identity', 'google_identity', 'azure_identity', 'vault_identity', 'identity_files')),
  add constraint cloud_integrations_config_check check ((provider_type in ('cloud_a', 'cloud_b')) = (config is null));
