-- Whose log somebody follows: its runner pushes it often, any other now and then. What it says is over within seconds, so it
-- needs no journal, and every row is written again and again.
create unlogged table followed_logs (
  deployment_id uuid primary key references deployments on delete cascade,
  until timestamptz not null
) with (fillfactor = 50);
