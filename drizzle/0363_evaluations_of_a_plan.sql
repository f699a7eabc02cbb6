-- Each apply asks what policies said of its plan last; without this it would read all that were ever said.
create index policy_evaluations_of_plan on policy_evaluations (plan_run_id, id);
