-- Identities are replaced in ranges of addresses, in the byte order that a program sorts by.
alter table stack_resource_identities alter column address type text collate "C";
-- The newest run whose analysis counts for a stack: of a lane deployment that finished.
create index deployments_finished_by_stack on deployments (stack_key, completed_at desc, id desc)
  where status = 'finished' and mode in ('plan', 'destroy', 'refresh');

-- An organization's whole graph as two byte strings: the keys of its live stacks in order, 16 bytes each, and the pairs that
-- can trigger as (parent, dependent), each the place of a key, as 4 bytes. Counts stop one past their budget, and past one
-- no pairs are given, since nothing is made of them. A pair whose every declaration says `never` triggers nothing, so it
-- closes no cycle: it is how people break one.
-- A function for the sake of its setting: planned for a small organization, or before its rows are counted, the joins would
-- walk all stacks for each edge.
create function dependency_graph(org uuid, max_edges integer, max_pairs integer)
returns table (edges integer, pairs integer, keys bytea, stack_pairs bytea)
language sql stable set enable_nestloop = off as $$
  with live as materialized (
    select stack_key, slug, (row_number() over (order by stack_key))::int - 1 as node
    from stacks where org_id = org and deleted_at is null
  ),
  edges as materialized (
    select dependent_stack_key, dependency_stack_slug, dependency_stack_key, trigger
    from dependency_edges where org_id = org limit max_edges + 1
  ),
  resolved as (
    select d.node as dependent, p.node as parent, e.trigger <> 'never' as triggers
    from edges e join live d on d.stack_key = e.dependent_stack_key join live p on p.slug = e.dependency_stack_slug
    union all
    select d.node, p.node, null
    from edges e join live d on d.stack_key = e.dependent_stack_key join live p on p.stack_key = e.dependency_stack_key
  ),
  pairs as materialized (
    select parent, dependent, coalesce(bool_or(triggers), true) as triggers from resolved
    where parent <> dependent group by parent, dependent limit max_pairs + 1
  ),
  counted as (select (select count(*) from edges)::int as edges, (select count(*) from pairs)::int as pairs)
  select c.edges, c.pairs,
    (select string_agg(uuid_send(l.stack_key), '' order by l.node) from live l),
    case when c.edges <= max_edges and c.pairs <= max_pairs
      then (select string_agg(int4send(p.parent) || int4send(p.dependent), '') from pairs p where p.triggers) end
  from counted c
$$;
