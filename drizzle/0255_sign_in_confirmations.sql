-- A provider's answer that the person has to agree to: it would link an identity to them, or sign them in as somebody else.
create table sign_in_confirmations (
  id uuid primary key default uuidv7(),
  session_id uuid not null references sessions (id) on delete cascade,
  links boolean not null,
  identity_source_id uuid references identity_sources (id) on delete cascade,
  answer bytea not null,
  return_to text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default svc_now()
);
create index sign_in_confirmations_by_session on sign_in_confirmations (session_id);
create index sign_in_confirmations_by_source on sign_in_confirmations (identity_source_id) where identity_source_id is not null;
create index sign_in_confirmations_by_age on sign_in_confirmations (expires_at);
