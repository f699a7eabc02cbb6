-- Authorization codes that came through the callback. Each works once here, whichever sign-in brings it (src/people/sso/usedCodes.ts).
create table used_sign_in_codes (
  code_sha256 bytea primary key check (length(code_sha256) = 32),
  expires_at timestamptz not null
);
create index used_sign_in_codes_by_age on used_sign_in_codes (expires_at);
