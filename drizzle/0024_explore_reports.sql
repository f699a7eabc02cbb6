-- What the main database knows of an organization's explore data: which explore database holds it, and the findings that were
-- last told. Here and not there, so that a lost explore database tells nobody of a change that never was.
create table explore_reports (
  org_id uuid primary key references organizations on delete cascade,
  -- The `explore.installation` that every stack was last indexed in; another one, or none, needs a rebuild first.
  installation uuid,
  -- Null until findings were computed for the first time.
  cycles integer,
  orphans integer,
  duplicates integer,
  cycles_complete boolean,
  orphans_complete boolean,
  computed_at timestamptz,
  check (num_nulls(cycles, orphans, duplicates, cycles_complete, orphans_complete, computed_at) in (0, 6))
);
