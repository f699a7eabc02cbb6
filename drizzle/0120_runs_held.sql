-- What a group and what an organization hold is counted at every claim and poll. With one index for each count, the planner took
-- the group's from the index of all organizations as long as its statistics knew few runs in flight: one organization's claims
-- read the runs of all others. One index begins with the organization and serves both.
create index runs_held on runs (org_id, assigned_group_id)
  where status in ('assigned', 'running', 'requested_cancellation', 'cancelling');
drop index runs_held_by_group;
drop index runs_in_flight;
