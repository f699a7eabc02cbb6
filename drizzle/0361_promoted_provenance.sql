-- What a stack runs since a person has promoted the head of a pull request is the stack's own: checks and the end of it have its access.
alter table deployments drop constraint deployments_provenance;
alter table deployments add constraint deployments_provenance
  check (provenance in ('branch', 'pull_request', 'fork', 'promoted', 'local', 'foreign', 'unknown'));
