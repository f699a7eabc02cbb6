-- Other names under which an integration's repositories are reached, as a host's own name for SSH.
alter table scm_integrations add column host_names text[] not null default '{}';
