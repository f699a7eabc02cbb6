-- A service account's token does no more than its account might when the token was minted, and not for long after its
-- minter has left the organization.
alter table service_account_tokens add column permissions jsonb, add column minter_left_at timestamptz;

-- Tokens that are there already are bounded by what their accounts may do now.
update service_account_tokens t set permissions = coalesce((
  select jsonb_agg(distinct jsonb_build_object('resource_type', p.resource_type, 'action', p.action,
    'resource_pattern', p.resource_pattern, 'authz_group', p.authz_group))
  from service_accounts a
  join role_assignments ra on ra.service_account_id = a.id and ra.org_id = a.org_id
  join roles r on r.id = ra.role_id and (r.org_id is null or r.org_id = a.org_id)
  join role_permissions p on p.role_id = r.id
  where a.id = t.service_account_id), '[]');
alter table service_account_tokens alter column permissions set not null;

-- Of minters who are no members any more it is not known since when: their time begins now.
update service_account_tokens t set minter_left_at = svc_now()
from service_accounts a
where a.id = t.service_account_id and t.created_by is not null and not exists (
  select from memberships m where m.org_id = a.org_id and m.user_id = t.created_by)
  and not exists (select from users u where u.id = t.created_by and u.is_super_admin);

create index service_account_tokens_by_leaving on service_account_tokens (minter_left_at) where minter_left_at is not null;

-- A membership ends by many hands: a person's, housekeeping, an identity that is unlinked. Each is seen here.
create function mark_tokens_of_minter() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    update service_account_tokens t set minter_left_at = coalesce(old.expires_at, svc_now())
    from service_accounts a
    where t.created_by = old.user_id and a.id = t.service_account_id and a.org_id = old.org_id;
  else
    update service_account_tokens t set minter_left_at = null
    from service_accounts a
    where t.created_by = new.user_id and a.id = t.service_account_id and a.org_id = new.org_id and t.minter_left_at is not null;
  end if;
  return null;
end $$;
create trigger memberships_mark_tokens after insert or delete on memberships
  for each row execute function mark_tokens_of_minter();
