-- The list of an organization's assignments, newest first, and whether anybody there holds a given role.
create index role_assignments_by_org on role_assignments (org_id, created_at desc, id desc);
create index role_assignments_by_org_role on role_assignments (org_id, role_id);
