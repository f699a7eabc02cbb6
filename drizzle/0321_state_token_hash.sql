-- It is a digest, and is called one as all others are.
alter table runs rename column state_token to state_token_hash;
alter table runs rename constraint runs_state_token_check to runs_state_token_hash_check;
