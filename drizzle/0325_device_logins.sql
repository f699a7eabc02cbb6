-- A program without a browser that waits for a person's word (RFC 8628). The token is made when it is collected, so that no row holds one.
create table device_logins (
  id uuid primary key default uuidv7(),
  device_code_sha256 bytea not null unique check (length(device_code_sha256) = 32),
  -- What the person compares and types: eight consonants.
  user_code text not null unique check (length(user_code) <= 8 and user_code ~ '^[B-DF-HJ-NP-TV-XZ]{8}$'),
  client_name text not null check (length(client_name) between 1 and 40),
  host_name text not null check (length(host_name) between 1 and 56),
  -- Whence it was asked for, as the person is shown.
  address text not null,
  decision text check (decision in ('approved', 'denied')),
  -- The session that said yes. What ends it takes the approval along.
  session_id uuid references sessions on delete cascade,
  org_id uuid references organizations on delete cascade,
  poll_seconds int not null default 5,
  polled_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default svc_now(),
  check ((decision is not distinct from 'approved') = (session_id is not null)),
  check ((session_id is null) = (org_id is null))
);
create index device_logins_by_age on device_logins (expires_at);
create index device_logins_by_session on device_logins (session_id) where session_id is not null;
create index device_logins_by_org on device_logins (org_id) where org_id is not null;
