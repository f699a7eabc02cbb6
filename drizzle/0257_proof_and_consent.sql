-- What an organization has shown to be its own: a rule that names something else invites, and admits nobody.
create table organization_proofs (
  id uuid primary key default uuidv7(),
  org_id uuid not null references organizations on delete cascade,
  kind text not null check (kind in ('domain', 'codehost_org')),
  name text not null check (length(name) between 1 and 500),
  -- What a domain's TXT record has to hold.
  token text not null,
  proven_at timestamptz,
  proven_by text check (proven_by in ('dns', 'operator')),
  created_at timestamptz not null default svc_now(),
  unique (org_id, kind, name)
);

-- A membership that waits for the person's word. The organization does not see whom a rule would have made a member.
create table membership_offers (
  id uuid primary key default uuidv7(),
  org_id uuid not null references organizations on delete cascade,
  user_id text not null references users on delete cascade,
  source text not null check (source in ('manual', 'identity_source')),
  identity_id uuid references user_identities (id) on delete cascade,
  offered_by text,
  -- How long the membership would last; null: without end.
  member_until timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default svc_now(),
  unique (user_id, org_id)
);
create index membership_offers_by_org on membership_offers (org_id);
create index membership_offers_by_identity on membership_offers (identity_id) where identity_id is not null;
create index membership_offers_by_age on membership_offers (expires_at);
