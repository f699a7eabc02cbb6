-- What somebody did, and what became of one thing, are read off an index however long the trail is.
create index audit_log_by_resource on audit_log (org_id, resource_id, occurred_at desc, id desc);
create index audit_log_by_actor on audit_log (org_id, actor_id, occurred_at desc, id desc);
