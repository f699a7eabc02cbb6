-- Which identity began a session or gave a membership, so that unlinking it ends both (spec 5.3), and the list of users.

alter table user_identities
  add column id uuid not null default uuidv7() unique,
  -- What the provider called the person last; only shown. Null until the identity signs in again.
  add column login text;
update user_identities i set login = u.login from users u
where u.id = i.user_id and u.provider_key = i.provider_key and u.issuer = i.issuer and u.subject = i.subject;

-- Null for sessions that were begun before it was recorded; they end with any identity of their user.
alter table sessions add column identity_id uuid references user_identities (id) on delete cascade;
create index sessions_by_identity on sessions (identity_id);

-- Set for memberships that an access rule gave. Who unlinks the identity deletes them in the same transaction.
alter table memberships add column identity_id uuid references user_identities (id) on delete set null;
create index memberships_by_identity on memberships (identity_id) where identity_id is not null;

-- Whether anybody can sign in at an issuer, and the rules and bindings that a sign-in there answers.
create index identity_sources_by_issuer on identity_sources (oidc_issuer) where provider_key = 'oidc';

-- Super-admins list everybody, newest first or by login.
create index users_newest on users (created_at desc, id desc);
create index users_by_login on users ((lower(login) collate "C"), id);
create index users_disabled on users (created_at desc, id desc) where disabled_at is not null;
create index users_super_admins on users (created_at desc, id desc) where is_super_admin;
