-- Why the last accept of a run could not be answered: what is known when its assignments are used up.
alter table runs add column accept_problem text check (length(accept_problem) <= 1000);
