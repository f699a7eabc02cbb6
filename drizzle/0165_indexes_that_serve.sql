-- Nothing ever deletes an organization, a user, an identity source, a stack, a deployment, a run, a stage or a selector: an index for looking up the rows
-- that name one of them serves nobody, and every write to these tables pays for it. Keys that a deletion does follow keep theirs.

drop index stacks_by_org;
drop index deployments_by_org;
drop index deployment_events_by_stage;
drop index decisions_by_org;
drop index domain_events_by_org;
drop index runs_by_org;
drop index runs_by_selector;
drop index local_sources_by_org;
drop index local_sources_by_stack;
drop index pull_request_stacks_by_latest;
drop index dependency_state_by_org;
drop index dependent_triggers_by_org;
drop index auth_states_by_source;
drop index auth_states_by_user;
