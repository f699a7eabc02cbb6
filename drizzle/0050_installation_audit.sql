-- Entries that belong to no organization, newest first.
create index audit_log_of_installation on audit_log (occurred_at desc, id desc) where org_id is null;
