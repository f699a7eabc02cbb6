-- Who deletes a row makes Postgres look for the rows that name it, for each deleted row anew: to delete them too, to forget it in
-- them, or to refuse. Every foreign key now has an index for that, also those that only the deletion of an organization follows.
-- Where the column may be null, the index leaves out the rows that name nothing.

create index stacks_by_org on stacks (org_id);
create index deployments_by_org on deployments (org_id);
create index deployment_events_by_stage on deployment_events (stage_id) where stage_id is not null;
create index decisions_by_org on decisions (org_id);
create index domain_events_by_org on domain_events (org_id);

-- Of a runner group that is deleted, runs keep their rows and forget the group.
create index runs_by_group on runs (assigned_group_id) where assigned_group_id is not null;
create index runs_by_org on runs (org_id);
create index runs_by_selector on runs (selector_id);

create index local_sources_by_org on local_sources (org_id);
create index local_sources_by_stack on local_sources (stack_key);
create index pull_request_stacks_by_latest on pull_request_stacks (latest_deployment_id) where latest_deployment_id is not null;
create index dependency_state_by_org on dependency_state (org_id, stack_key);
create index dependent_triggers_by_org on dependent_triggers (org_id);

create index auth_states_by_source on auth_states (identity_source_id) where identity_source_id is not null;
create index auth_states_by_user on auth_states (link_user_id) where link_user_id is not null;
create index auth_states_by_session on auth_states (link_session_id) where link_session_id is not null;
