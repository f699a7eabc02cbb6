-- An organization's deployments across its stacks, newest first, of any statuses: one index, since the list merges one walk per
-- status. A status change writes a new version of the row anyhow, and this is one entry more for it.
create index deployments_by_org on deployments (org_id, status, created_at desc, id desc);
