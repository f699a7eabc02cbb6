-- Which organization a bootstrap made: a name is anybody's to take, an id is not.
create table bootstrapped_organizations (
  org_id uuid primary key references organizations on delete cascade,
  -- As the command called it; the organization may be renamed.
  name text not null,
  created_at timestamptz not null default svc_now()
);

-- Of those that are there already, where it can only be one.
insert into bootstrapped_organizations (org_id, name)
select (array_agg(o.id))[1], o.name
from organizations o join service_accounts a on a.org_id = o.id and a.name = 'bootstrap'
where not o.is_personal
group by o.name having count(*) = 1;
