-- Whoever's access ends hears of it soon: processes with open event streams listen, and ask again whether their readers may still
-- read. Only what can take access away tells it, and of a transaction once.
create function tell_access_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('svc_access_changed', '');
  return null;
end $$;

create trigger sessions_ended after delete on sessions for each statement execute function tell_access_changed();
create trigger personal_access_tokens_ended after delete on personal_access_tokens
  for each statement execute function tell_access_changed();
create trigger service_account_tokens_ended after delete on service_account_tokens
  for each statement execute function tell_access_changed();
create trigger users_ended after update of disabled_at, is_super_admin on users
  for each statement execute function tell_access_changed();
create trigger service_accounts_ended after delete or update of disabled_at on service_accounts
  for each statement execute function tell_access_changed();
create trigger memberships_ended after delete or update of expires_at on memberships
  for each statement execute function tell_access_changed();
create trigger role_assignments_ended after delete on role_assignments
  for each statement execute function tell_access_changed();
create trigger role_permissions_ended after delete on role_permissions
  for each statement execute function tell_access_changed();
create trigger external_entitlements_ended after delete on external_entitlements
  for each statement execute function tell_access_changed();
create trigger identity_sources_ended after delete or update on identity_sources
  for each statement execute function tell_access_changed();
create trigger group_role_bindings_ended after delete on group_role_bindings
  for each statement execute function tell_access_changed();
create trigger group_role_binding_roles_ended after delete on group_role_binding_roles
  for each statement execute function tell_access_changed();
create trigger stacks_access_changed after update of name, authz_groups, deleted_at on stacks
  for each statement execute function tell_access_changed();
