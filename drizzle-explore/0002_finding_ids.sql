-- Findings are shown and paged by their key, so it is kept as people see it.
alter table explore.findings alter column key type text collate "C" using encode(key, 'hex');
