-- Rows that come, change and go all the time, in tables whose size says nothing about it: a vacuum after so many dead rows,
-- whatever share that is, and without pauses, since nearly all that it finds is in memory.
alter table run_liveness set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_cost_delay = 0);
alter table outbox set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_threshold = 20000, autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);
alter table followed_logs set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
