-- Whose it is to answer for an organization: who created it. Of those that are there already, by the audit trail.
alter table organizations add column created_by text check (octet_length(created_by) <= 2000);
update organizations o set created_by = a.actor_id
from audit_log a
where a.org_id = o.id and a.resource_id = o.id::text and a.action = 'organization.create' and a.actor_kind = 'user';
create index organizations_by_creator on organizations (created_by) where created_by is not null;

-- Fails when one of the additions of this transaction is one too many. It has to be the last that the transaction waits for:
-- the lock of each owner is held until the commit, so what the count does not see does not exist.
create function hold_quotas(additions jsonb) returns boolean language plpgsql volatile as $$
declare
  a record;
  present bigint;
begin
  for a in
    select * from jsonb_to_recordset(additions) as x (quota text, owner text, added integer, most bigint) order by quota, owner
  loop
    perform pg_advisory_xact_lock(hashtextextended('quota:' || a.quota || ':' || a.owner, 0));
    -- Each statement of a volatile function sees what was committed before it.
    if a.quota = 'organizations' then
      -- Those that a super-admin makes are for others.
      select count(*) into present from organizations
      where created_by = a.owner and not exists (select from users where id = a.owner and is_super_admin);
    elsif a.quota = 'stacks' then
      select count(*) into present from stacks where org_id = a.owner::uuid and deleted_at is null;
    elsif a.quota = 'queued_deployments' then
      select count(*) into present from deployments where org_id = a.owner::uuid and status in ('queued', 'pending');
    else
      raise exception 'there is no quota %', a.quota;
    end if;
    if present > a.most then
      raise exception 'the quota % is reached', a.quota using errcode = 'SVQ01',
        detail = jsonb_build_object('quota', a.quota, 'most', a.most, 'present', present - a.added)::text;
    end if;
  end loop;
  return true;
end $$;

-- What a run's other artifacts have, as it is now and not as it was when the calling statement began.
create function artifact_bytes_beside(run uuid, artifact_kind text) returns bigint language plpgsql volatile as $$
begin
  return (select coalesce(sum(size), 0)::bigint from artifacts where run_id = run and kind <> artifact_kind);
end $$;
