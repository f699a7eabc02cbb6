-- What a bucket holds at a time: null means full. Refilled at the rate since it was last looked at, at most 24 hours' worth (spec 8).
create function tokens_at(tokens double precision, refilled_at timestamptz, runs_per_hour integer, as_of timestamptz)
returns double precision language sql immutable as $$
  select least(runs_per_hour::float8 * 24,
    coalesce(tokens + greatest(0, extract(epoch from as_of - refilled_at)::float8) * runs_per_hour / 3600, runs_per_hour::float8 * 24))
$$;

-- A new rate is a new promise from now on: what was earned until now is counted at the old one, and who was deferred is looked at
-- again. The row is locked also when no stamp is seen on it, since a claim that waits to commit may be about to set one.
create or replace function clear_throttle() returns trigger language plpgsql as $$
begin
  update dispatch_orgs o set throttled_until = null, refilled_at = t.now,
    tokens = case when o.tokens is not null then tokens_at(o.tokens, o.refilled_at, old.runs_per_hour_limit, t.now) end
  from (select svc_now() as now) t where o.org_id = new.id;
  return null;
end $$;
