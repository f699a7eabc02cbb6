-- Why a dependent that is tried again could not be triggered yet, in public words; shown while it is still to be triggered.
alter table dependent_triggers add column last_failure text;
