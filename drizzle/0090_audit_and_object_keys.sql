-- The audit trail is written once: no statement changes an entry, and none takes one away but the deletion of its organization.
create function keep_audit_entry() returns trigger language plpgsql as $$
begin
  -- A foreign key's cascade is a trigger itself.
  if tg_op = 'DELETE' and pg_trigger_depth() > 1 then
    return old;
  end if;
  raise exception 'entries of the audit trail cannot be changed or removed' using errcode = 'restrict_violation';
end
$$;
create trigger audit_log_kept before update or delete on audit_log for each row execute function keep_audit_entry();
create trigger audit_log_whole before truncate on audit_log for each statement execute function keep_audit_entry();

-- The encryption key (its id in hexadecimal) that a stored object was found or put under; null until a rotation looked. An object's
-- removal compares it, so that one that is sealed again at that moment is removed too.
alter table artifacts add column key_id text;
alter table log_chunks add column key_id text;
alter table local_sources add column key_id text;
