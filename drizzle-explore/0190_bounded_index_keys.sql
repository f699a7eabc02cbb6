-- As in the main database: an index entry holds 2,704 bytes at most, so what is in an index has a bound. Of rows to come only.
alter table explore.findings add check (octet_length(key) <= 64) not valid;
alter table explore.resources add check (length(identity_hash) <= 1000) not valid;
