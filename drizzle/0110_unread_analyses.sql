-- Whether analyses of an organization's runs are still to be read, asked at the end of an apply and by its cascade.
create index org_tasks_unread_analyses on org_tasks (org_id) where status = 'pending' and kind = 'dependency_graph_reconcile';
