-- An index entry holds 2,704 bytes at most, and a longer one fails the whole statement. What has no bound of its own is indexed by its
-- digest; every other text in an index has a bound in bytes that its writers keep too. The bounds hold for rows to come: what is there
-- has been in these indexes all along.

create function sha256_of(variadic parts text[]) returns bytea language sql immutable parallel safe as
  $$ select sha256(convert_to(array_to_json(parts)::text, 'UTF8')) $$;

-- A rule of many domains.
alter table access_rules drop constraint access_rules_identity_source_id_rule_type_rule_key;
create unique index access_rules_once on access_rules (identity_source_id, rule_type, sha256_of(rule::text));

-- A selector of many long labels.
alter table runner_selectors drop constraint runner_selectors_org_id_labels_key;
create unique index runner_selectors_once on runner_selectors (org_id, sha256_of(labels::text));

create or replace function ensure_selector(p_org uuid, p_labels jsonb) returns uuid language plpgsql as $$
declare
  v_id uuid;
begin
  select id into v_id from runner_selectors where org_id = p_org and sha256_of(labels::text) = sha256_of(p_labels::text);
  if found then
    return v_id;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('selectors:' || p_org, 0));
  insert into runner_selectors (org_id, labels) values (p_org, p_labels) on conflict do nothing;
  perform match_selectors(p_org);
  select id into v_id from runner_selectors where org_id = p_org and sha256_of(labels::text) = sha256_of(p_labels::text);
  return v_id;
end $$;

-- A long user id beside a long path and key.
alter table idempotency_keys add column scope_sha256 bytea not null
  generated always as (sha256_of(principal_id, method, path, key)) stored;
alter table idempotency_keys drop constraint idempotency_keys_pkey;
alter table idempotency_keys add primary key (scope_sha256);
alter table idempotency_keys add check (length(scope_sha256) = 32);

-- A long user id beside a long issuer, client, claim and group.
alter table external_entitlements add column told_sha256 bytea not null
  generated always as (sha256_of(provider_key, issuer, client_id, groups_claim, group_key)) stored;
alter table external_entitlements drop constraint external_entitlements_pkey;
alter table external_entitlements add primary key (user_id, told_sha256);
alter table external_entitlements add check (length(told_sha256) = 32);

-- What made a dependent fail holds the words of others.
drop index dependent_triggers_problem;
create index dependent_triggers_problem on dependent_triggers (parent_deployment_id, sha256_of(problem)) where problem is not null;

-- A login beside a user id is too long; pages of one login are sorted when they are read.
drop index users_by_login;
create index users_by_login on users (lower(login) collate "C");

alter table users
  add check (octet_length(provider_key) <= 100) not valid,
  add check (octet_length(id) <= 2000) not valid,
  add check (octet_length(issuer) <= 1500) not valid,
  add check (octet_length(subject) <= 960) not valid,
  add check (octet_length(login) <= 960) not valid;
alter table user_identities
  add check (octet_length(issuer) <= 1500) not valid,
  add check (octet_length(subject) <= 960) not valid;
alter table identity_sources add check (octet_length(oidc_issuer) <= 1500) not valid;
alter table audit_log
  add check (octet_length(actor_id) <= 2000) not valid,
  add check (octet_length(resource_id) <= 2000) not valid;
alter table protected_labels add check (octet_length(key) <= 128) not valid;
alter table role_permissions
  add check (octet_length(resource_type) <= 50) not valid,
  add check (octet_length(action) <= 50) not valid,
  add check (octet_length(resource_pattern) <= 600) not valid,
  add check (octet_length(authz_group) <= 300) not valid;
alter table reconciler_sightings add check (octet_length(workflow_id) <= 2000) not valid;
alter table retention_progress add check (octet_length(kind) <= 100) not valid;
alter table dependency_edges add check (length(edge_hash) <= 1000) not valid;
alter table stack_resource_identities add check (length(identity_hash) <= 1000) not valid;

-- A repository's key is at most as long as an address; a branch has at most 255 characters.
alter table stacks
  add check (octet_length(repository_key) <= 1000) not valid,
  add check (octet_length(branch) <= 765) not valid;
alter table scm_branches
  add check (octet_length(repository_key) <= 1000) not valid,
  add check (octet_length(branch) <= 765) not valid;
alter table scm_events
  add check (octet_length(repository_key) <= 1000) not valid,
  add check (octet_length(branch) <= 765) not valid,
  add check (octet_length(branch_key) <= 200) not valid;
alter table pull_requests
  add check (octet_length(repository_key) <= 1000) not valid,
  add check (octet_length(base_branch) <= 765) not valid;
