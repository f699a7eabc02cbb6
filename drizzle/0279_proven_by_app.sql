-- An organization of the code host is proven by its own app, which is installed there.
alter table organization_proofs
  drop constraint organization_proofs_proven_by_check,
  add constraint organization_proofs_proven_by_check check (proven_by in ('dns', 'operator', 'app'));
