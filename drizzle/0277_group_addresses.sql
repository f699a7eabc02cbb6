-- From where a group's token was used. The 200 that were seen last are kept of each group.
create table runner_group_addresses (
  group_id uuid not null references runner_groups on delete cascade,
  -- A version 4 address, or a version 6 network of 64 bits.
  address text not null check (length(address) <= 64),
  first_seen_at timestamptz not null default svc_now(),
  last_seen_at timestamptz not null default svc_now(),
  primary key (group_id, address)
);
