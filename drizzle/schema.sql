-- What the numbered files of drizzle/ and drizzle-explore/ come to: the tables and functions of today, for reading.
-- Written by `npm run schema` and never run; a test compares it with a migrated database.

-- The main database: schema public

CREATE TABLE access_rules (
  id uuid DEFAULT uuidv7() NOT NULL,
  identity_source_id uuid NOT NULL,
  rule_type text NOT NULL,
  rule jsonb NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT access_rules_pkey PRIMARY KEY (id),
  CONSTRAINT access_rules_identity_source_id_fkey FOREIGN KEY (identity_source_id) REFERENCES identity_sources(id) ON DELETE CASCADE,
  CONSTRAINT access_rules_rule_check CHECK (jsonb_typeof(rule) = 'object'),
  CONSTRAINT access_rules_rule_type_check CHECK (rule_type = ANY (ARRAY['codehost_org', 'codehost_team', 'workspace_hd', 'oidc_group']))
);
CREATE UNIQUE INDEX access_rules_once ON access_rules (identity_source_id, rule_type, sha256_of(VARIADIC ARRAY[rule::text]));

CREATE TABLE approval_requirements (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  deployment_id uuid NOT NULL,
  plan_run_id uuid NOT NULL,
  source text NOT NULL,
  name text NOT NULL,
  reason text,
  count integer NOT NULL,
  approvers jsonb NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT approval_requirements_pkey PRIMARY KEY (id),
  CONSTRAINT approval_requirements_deployment_id_fkey FOREIGN KEY (deployment_id) REFERENCES deployments(id) ON DELETE CASCADE,
  CONSTRAINT approval_requirements_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT approval_requirements_plan_run_id_fkey FOREIGN KEY (plan_run_id) REFERENCES runs(id) ON DELETE CASCADE,
  CONSTRAINT approval_requirements_count_check CHECK (count >= 1 AND count <= 10),
  CONSTRAINT approval_requirements_name_check CHECK (length(name) >= 1 AND length(name) <= 200),
  CONSTRAINT approval_requirements_source_check CHECK (source = 'policy')
);
CREATE INDEX approval_requirements_of_deployment ON approval_requirements (deployment_id);
CREATE INDEX approval_requirements_of_org ON approval_requirements (org_id);
CREATE INDEX approval_requirements_of_plan ON approval_requirements (plan_run_id);

CREATE TABLE approval_rules (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  name text NOT NULL,
  selector jsonb NOT NULL,
  modes text[] NOT NULL,
  previews boolean NOT NULL,
  destructive boolean NOT NULL,
  count integer NOT NULL,
  approvers jsonb NOT NULL,
  deadline_ms bigint,
  remind_ms bigint,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  updated_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT approval_rules_pkey PRIMARY KEY (id),
  CONSTRAINT approval_rules_org_id_name_key UNIQUE (org_id, name),
  CONSTRAINT approval_rules_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT approval_rules_check CHECK (cardinality(modes) > 0 OR previews),
  CONSTRAINT approval_rules_count_check CHECK (count >= 1 AND count <= 10),
  CONSTRAINT approval_rules_deadline_ms_check CHECK (deadline_ms > 0),
  CONSTRAINT approval_rules_modes_check CHECK (modes <@ ARRAY['plan', 'destroy', 'refresh']),
  CONSTRAINT approval_rules_name_check CHECK (length(name) >= 1 AND length(name) <= 100),
  CONSTRAINT approval_rules_remind_ms_check CHECK (remind_ms > 0)
);

CREATE TABLE artifacts (
  run_id uuid NOT NULL,
  kind text NOT NULL,
  object_key text NOT NULL,
  size bigint NOT NULL,
  sha256 text NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  key_id text,
  CONSTRAINT artifacts_pkey PRIMARY KEY (run_id, kind),
  CONSTRAINT artifacts_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE,
  CONSTRAINT artifacts_kind_check CHECK (kind = ANY (ARRAY['plan', 'analysis', 'plan-json', 'changes', 'plan-text', 'tree']))
);

CREATE TABLE audit_log (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid,
  actor_id text,
  actor_kind text,
  action text NOT NULL,
  resource_type text NOT NULL,
  resource_id text,
  details jsonb DEFAULT '{}'::jsonb NOT NULL,
  occurred_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT audit_log_pkey PRIMARY KEY (id),
  CONSTRAINT audit_log_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT audit_log_actor_id_check CHECK (octet_length(actor_id) <= 2000) NOT VALID,
  CONSTRAINT audit_log_actor_kind_check CHECK (actor_kind = ANY (ARRAY['user', 'service_account', 'operator'])),
  CONSTRAINT audit_log_resource_id_check CHECK (octet_length(resource_id) <= 2000) NOT VALID
);
CREATE INDEX audit_log_by_actor ON audit_log (org_id, actor_id, occurred_at DESC, id DESC);
CREATE INDEX audit_log_by_org ON audit_log (org_id, occurred_at DESC, id DESC);
CREATE INDEX audit_log_by_resource ON audit_log (org_id, resource_id, occurred_at DESC, id DESC);
CREATE INDEX audit_log_of_installation ON audit_log (occurred_at DESC, id DESC) WHERE org_id IS NULL;
CREATE TRIGGER audit_log_kept BEFORE DELETE OR UPDATE ON audit_log FOR EACH ROW EXECUTE FUNCTION keep_audit_entry();
CREATE TRIGGER audit_log_whole BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION keep_audit_entry();

CREATE TABLE auth_states (
  state_sha256 bytea NOT NULL,
  browser_sha256 bytea NOT NULL,
  provider_key text NOT NULL,
  identity_source_id uuid,
  link_user_id text,
  link_session_id uuid,
  secrets bytea NOT NULL,
  return_to text DEFAULT '/' NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT auth_states_pkey PRIMARY KEY (state_sha256),
  CONSTRAINT auth_states_identity_source_id_fkey FOREIGN KEY (identity_source_id) REFERENCES identity_sources(id) ON DELETE CASCADE,
  CONSTRAINT auth_states_link_session_id_fkey FOREIGN KEY (link_session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  CONSTRAINT auth_states_link_user_id_fkey FOREIGN KEY (link_user_id) REFERENCES users(id) ON DELETE CASCADE,
  CONSTRAINT auth_states_browser_sha256_check CHECK (length(browser_sha256) = 32),
  CONSTRAINT auth_states_check CHECK ((link_user_id IS NULL) = (link_session_id IS NULL)),
  CONSTRAINT auth_states_state_sha256_check CHECK (length(state_sha256) = 32)
);
CREATE INDEX auth_states_by_age ON auth_states (expires_at);
CREATE INDEX auth_states_by_session ON auth_states (link_session_id) WHERE link_session_id IS NOT NULL;

CREATE TABLE bootstrapped_organizations (
  org_id uuid NOT NULL,
  name text NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT bootstrapped_organizations_pkey PRIMARY KEY (org_id),
  CONSTRAINT bootstrapped_organizations_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);

CREATE TABLE cloud_integration_roles (
  integration_id uuid NOT NULL,
  name text NOT NULL,
  role_arn text NOT NULL,
  inline_policy text,
  use_in_previews boolean DEFAULT true NOT NULL,
  CONSTRAINT cloud_integration_roles_pkey PRIMARY KEY (integration_id, name),
  CONSTRAINT cloud_integration_roles_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES cloud_integrations(id) ON DELETE CASCADE,
  CONSTRAINT cloud_integration_roles_inline_policy_check CHECK (length(inline_policy) <= 2048),
  CONSTRAINT cloud_integration_roles_name_check CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}$'),
  CONSTRAINT cloud_integration_roles_role_arn_check CHECK (length(role_arn) <= 2048)
);

CREATE TABLE cloud_integrations (
  id uuid DEFAULT uuidv7() NOT NULL,
  stack_key uuid NOT NULL,
  provider_type text NOT NULL,
  service_account_email text,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  updated_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  use_in_previews boolean DEFAULT true NOT NULL,
  config jsonb,
  CONSTRAINT cloud_integrations_pkey PRIMARY KEY (id),
  CONSTRAINT cloud_integrations_stack_key_provider_type_key UNIQUE (stack_key, provider_type),
  CONSTRAINT cloud_integrations_stack_key_fkey FOREIGN KEY (stack_key) REFERENCES stacks(stack_key) ON DELETE CASCADE,
  CONSTRAINT cloud_integrations_check CHECK ((provider_type = 'cloud_b') = (service_account_email IS NOT NULL)),
  CONSTRAINT cloud_integrations_config_check CHECK ((provider_type = ANY (ARRAY['cloud_a', 'cloud_b'])) = (config IS NULL)),
  CONSTRAINT cloud_integrations_provider_type_check CHECK (provider_type = ANY (ARRAY['cloud_a', 'cloud_b', 'aws_identity', 'google_identity', 'azure_identity', 'vault_identity', 'identity_files'])),
  CONSTRAINT cloud_integrations_service_account_email_check CHECK (length(service_account_email) <= 320)
);

CREATE TABLE context_variables (
  context_id uuid NOT NULL,
  name text NOT NULL,
  secret boolean NOT NULL,
  value text,
  sealed bytea,
  CONSTRAINT context_variables_pkey PRIMARY KEY (context_id, name),
  CONSTRAINT context_variables_context_id_fkey FOREIGN KEY (context_id) REFERENCES contexts(id) ON DELETE CASCADE,
  CONSTRAINT context_variables_check CHECK (secret = (sealed IS NOT NULL)),
  CONSTRAINT context_variables_check1 CHECK (secret = (value IS NULL)),
  CONSTRAINT context_variables_name_check CHECK (name ~ '^[A-Za-z_][A-Za-z0-9_]{0,127}$')
);

CREATE TABLE contexts (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  name text NOT NULL,
  selector jsonb DEFAULT '{}'::jsonb NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  updated_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT contexts_pkey PRIMARY KEY (id),
  CONSTRAINT contexts_org_id_name_key UNIQUE (org_id, name),
  CONSTRAINT contexts_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT contexts_name_check CHECK (length(name) >= 1 AND length(name) <= 100),
  CONSTRAINT contexts_selector_check CHECK (jsonb_typeof(selector) = 'object')
);

CREATE TABLE decisions (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  deployment_id uuid NOT NULL,
  kind text NOT NULL,
  principal_id text NOT NULL,
  principal_kind text NOT NULL,
  arguments jsonb DEFAULT '{}'::jsonb NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  answer jsonb,
  answered_at timestamp with time zone,
  batch uuid,
  CONSTRAINT decisions_pkey PRIMARY KEY (id),
  CONSTRAINT decisions_deployment_id_fkey FOREIGN KEY (deployment_id) REFERENCES deployments(id) ON DELETE CASCADE,
  CONSTRAINT decisions_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT decisions_check CHECK ((answer IS NULL) = (answered_at IS NULL)),
  CONSTRAINT decisions_kind_check CHECK (kind = ANY (ARRAY['confirm', 'skip', 'cancel', 'prioritize', 'deprioritize', 'confirmPreview', 'review'])),
  CONSTRAINT decisions_principal_kind_check CHECK (principal_kind = ANY (ARRAY['user', 'service_account', 'operator']))
);
CREATE INDEX decisions_by_age ON decisions (created_at);
CREATE INDEX decisions_by_batch ON decisions (batch, id) WHERE batch IS NOT NULL;
CREATE INDEX decisions_by_deployment ON decisions (deployment_id);

CREATE TABLE dependency_edges (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  dependent_stack_key uuid NOT NULL,
  dependent_address text,
  provenance text NOT NULL,
  dependency_stack_slug text,
  dependency_stack_key uuid,
  dependency_address text,
  trigger text DEFAULT 'manual' NOT NULL,
  file text,
  line integer,
  edge_hash bytea NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT dependency_edges_pkey PRIMARY KEY (id),
  CONSTRAINT dependency_edges_dependent_stack_key_edge_hash_key UNIQUE (dependent_stack_key, edge_hash),
  CONSTRAINT dependency_edges_dependency_stack_key_fkey FOREIGN KEY (dependency_stack_key) REFERENCES stacks(stack_key) ON DELETE CASCADE,
  CONSTRAINT dependency_edges_dependent_stack_key_fkey FOREIGN KEY (dependent_stack_key) REFERENCES stacks(stack_key) ON DELETE CASCADE,
  CONSTRAINT dependency_edges_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT dependency_edges_check CHECK ((provenance = 'declared') = (dependency_stack_slug IS NOT NULL)),
  CONSTRAINT dependency_edges_check1 CHECK ((provenance = 'inferred') = (dependency_stack_key IS NOT NULL)),
  CONSTRAINT dependency_edges_check2 CHECK (dependency_stack_key <> dependent_stack_key),
  CONSTRAINT dependency_edges_check3 CHECK (provenance = 'declared' OR trigger = 'manual'),
  CONSTRAINT dependency_edges_dependency_address_check CHECK (octet_length(dependency_address) >= 1 AND octet_length(dependency_address) <= 1024),
  CONSTRAINT dependency_edges_dependency_stack_slug_check CHECK (length(dependency_stack_slug) >= 1 AND length(dependency_stack_slug) <= 512),
  CONSTRAINT dependency_edges_dependent_address_check CHECK (octet_length(dependent_address) >= 1 AND octet_length(dependent_address) <= 1024),
  CONSTRAINT dependency_edges_edge_hash_check CHECK (length(edge_hash) <= 1000) NOT VALID,
  CONSTRAINT dependency_edges_provenance_check CHECK (provenance = ANY (ARRAY['declared', 'inferred'])),
  CONSTRAINT dependency_edges_trigger_check CHECK (trigger = ANY (ARRAY['always', 'manual', 'never']))
);
CREATE INDEX dependency_edges_by_org ON dependency_edges (org_id, dependent_stack_key);
CREATE INDEX dependency_edges_on_slug ON dependency_edges (org_id, dependency_stack_slug) WHERE dependency_stack_slug IS NOT NULL;
CREATE INDEX dependency_edges_on_stack ON dependency_edges (dependency_stack_key) WHERE dependency_stack_key IS NOT NULL;
CREATE TRIGGER dependency_edges_added AFTER INSERT ON dependency_edges REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_dependency_version();
CREATE TRIGGER dependency_edges_changed AFTER UPDATE ON dependency_edges REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_dependency_version();
CREATE TRIGGER dependency_edges_removed AFTER DELETE ON dependency_edges REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_dependency_version();

CREATE TABLE dependency_orgs (
  org_id uuid NOT NULL,
  version bigint DEFAULT 0 NOT NULL,
  CONSTRAINT dependency_orgs_pkey PRIMARY KEY (org_id),
  CONSTRAINT dependency_orgs_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);

CREATE TABLE dependency_state (
  stack_key uuid NOT NULL,
  org_id uuid NOT NULL,
  run_id uuid,
  run_completed_at timestamp with time zone,
  declared text DEFAULT 'never' NOT NULL,
  resources text DEFAULT 'never' NOT NULL,
  problem text,
  inferred_truncated boolean DEFAULT false NOT NULL,
  inferred_stale boolean DEFAULT false NOT NULL,
  reconciled_at timestamp with time zone,
  comment_errors jsonb DEFAULT '[]'::jsonb NOT NULL,
  comment_errors_count integer DEFAULT 0 NOT NULL,
  CONSTRAINT dependency_state_pkey PRIMARY KEY (stack_key),
  CONSTRAINT dependency_state_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT dependency_state_stack_key_fkey FOREIGN KEY (stack_key) REFERENCES stacks(stack_key) ON DELETE CASCADE,
  CONSTRAINT dependency_state_comment_errors_check CHECK (jsonb_typeof(comment_errors) = 'array' AND jsonb_array_length(comment_errors) <= 50),
  CONSTRAINT dependency_state_comment_errors_count_check CHECK (comment_errors_count >= 0),
  CONSTRAINT dependency_state_declared_check CHECK (declared = ANY (ARRAY['never', 'known', 'unknown'])),
  CONSTRAINT dependency_state_resources_check CHECK (resources = ANY (ARRAY['never', 'known', 'unknown']))
);
CREATE INDEX dependency_state_stale ON dependency_state (org_id, stack_key) WHERE inferred_stale;

CREATE TABLE dependent_triggers (
  parent_deployment_id uuid NOT NULL,
  dependent_stack_key uuid NOT NULL,
  org_id uuid NOT NULL,
  dependent_stack_created_at timestamp with time zone NOT NULL,
  trigger text NOT NULL,
  demotion_reason text,
  evidence text NOT NULL,
  triggering_resources jsonb DEFAULT '[]'::jsonb NOT NULL,
  triggering_remainder integer DEFAULT 0 NOT NULL,
  triggered_deployment_id uuid,
  skipped_reason text,
  error text,
  problem text,
  attempts integer DEFAULT 0 NOT NULL,
  due_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  last_failure text,
  CONSTRAINT dependent_triggers_pkey PRIMARY KEY (parent_deployment_id, dependent_stack_key),
  CONSTRAINT dependent_triggers_dependent_stack_key_fkey FOREIGN KEY (dependent_stack_key) REFERENCES stacks(stack_key) ON DELETE CASCADE,
  CONSTRAINT dependent_triggers_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT dependent_triggers_parent_deployment_id_fkey FOREIGN KEY (parent_deployment_id) REFERENCES deployments(id) ON DELETE CASCADE,
  CONSTRAINT dependent_triggers_triggered_deployment_id_fkey FOREIGN KEY (triggered_deployment_id) REFERENCES deployments(id) ON DELETE CASCADE,
  CONSTRAINT dependent_triggers_check CHECK (num_nonnulls(triggered_deployment_id, skipped_reason, error) <= 1),
  CONSTRAINT dependent_triggers_check1 CHECK (demotion_reason IS NULL OR trigger = 'manual'),
  CONSTRAINT dependent_triggers_check2 CHECK ((error IS NULL) = (problem IS NULL)),
  CONSTRAINT dependent_triggers_demotion_reason_check CHECK (demotion_reason = ANY (ARRAY['on_cycle', 'cycle_unknown', 'over_budget', 'in_cascade', 'parent_refreshed'])),
  CONSTRAINT dependent_triggers_evidence_check CHECK (evidence = ANY (ARRAY['declared', 'inferred', 'both'])),
  CONSTRAINT dependent_triggers_skipped_reason_check CHECK (skipped_reason = ANY (ARRAY['manual_trigger', 'never_trigger', 'not_affected', 'parent_destroyed', 'cascade_too_deep', 'stack_deleted'])),
  CONSTRAINT dependent_triggers_trigger_check CHECK (trigger = ANY (ARRAY['always', 'manual', 'never'])),
  CONSTRAINT dependent_triggers_triggering_remainder_check CHECK (triggering_remainder >= 0),
  CONSTRAINT dependent_triggers_triggering_resources_check CHECK (jsonb_array_length(triggering_resources) <= 3)
);
CREATE INDEX dependent_triggers_by_stack ON dependent_triggers (dependent_stack_key);
CREATE UNIQUE INDEX dependent_triggers_child ON dependent_triggers (triggered_deployment_id) WHERE triggered_deployment_id IS NOT NULL;
CREATE INDEX dependent_triggers_listed ON dependent_triggers (parent_deployment_id, (md5(parent_deployment_id::text || dependent_stack_key::text)::uuid));
CREATE INDEX dependent_triggers_open ON dependent_triggers (parent_deployment_id, due_at, dependent_stack_key) WHERE trigger = 'always' AND triggered_deployment_id IS NULL AND skipped_reason IS NULL AND error IS NULL;
CREATE INDEX dependent_triggers_problem ON dependent_triggers (parent_deployment_id, sha256_of(VARIADIC ARRAY[problem])) WHERE problem IS NOT NULL;

CREATE TABLE deployment_events (
  id uuid DEFAULT uuidv7() NOT NULL,
  deployment_id uuid NOT NULL,
  kind text NOT NULL,
  actor_id text,
  actor_kind text,
  stage_id uuid,
  details jsonb DEFAULT '{}'::jsonb NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT deployment_events_pkey PRIMARY KEY (id),
  CONSTRAINT deployment_events_deployment_id_fkey FOREIGN KEY (deployment_id) REFERENCES deployments(id) ON DELETE CASCADE,
  CONSTRAINT deployment_events_stage_id_fkey FOREIGN KEY (stage_id) REFERENCES stages(id)
);
CREATE INDEX deployment_events_by_deployment ON deployment_events (deployment_id, created_at, id);
CREATE INDEX deployment_events_by_stage ON deployment_events (stage_id) WHERE stage_id IS NOT NULL;

CREATE TABLE deployment_gates (
  deployment_id uuid NOT NULL,
  gate text NOT NULL,
  plan_run_id uuid NOT NULL,
  code text NOT NULL,
  detail text NOT NULL,
  closed_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  open_until timestamp with time zone,
  due_at timestamp with time zone,
  CONSTRAINT deployment_gates_pkey PRIMARY KEY (deployment_id, gate),
  CONSTRAINT deployment_gates_deployment_id_fkey FOREIGN KEY (deployment_id) REFERENCES deployments(id) ON DELETE CASCADE,
  CONSTRAINT deployment_gates_gate_check CHECK (gate = ANY (ARRAY['policy', 'approvals']))
);
CREATE TRIGGER deployment_gates_void_evaluation AFTER DELETE ON deployment_gates FOR EACH ROW WHEN (old.gate = 'policy') EXECUTE FUNCTION void_policy_evaluation();

CREATE TABLE deployment_makers (
  deployment_id uuid NOT NULL,
  kind text NOT NULL,
  maker_id text NOT NULL,
  CONSTRAINT deployment_makers_pkey PRIMARY KEY (deployment_id, kind, maker_id),
  CONSTRAINT deployment_makers_deployment_id_fkey FOREIGN KEY (deployment_id) REFERENCES deployments(id) ON DELETE CASCADE,
  CONSTRAINT deployment_makers_kind_check CHECK (kind = ANY (ARRAY['user', 'service_account'])),
  CONSTRAINT deployment_makers_maker_id_check CHECK (octet_length(maker_id) <= 2000)
);

CREATE TABLE deployment_reviews (
  id uuid DEFAULT uuidv7() NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  org_id uuid NOT NULL,
  deployment_id uuid NOT NULL,
  plan_run_id uuid,
  reviewer_id text NOT NULL,
  reviewer_kind text NOT NULL,
  verdict text NOT NULL,
  comment text,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT deployment_reviews_pkey PRIMARY KEY (id),
  CONSTRAINT deployment_reviews_deployment_id_fkey FOREIGN KEY (deployment_id) REFERENCES deployments(id) ON DELETE CASCADE,
  CONSTRAINT deployment_reviews_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT deployment_reviews_plan_run_id_fkey FOREIGN KEY (plan_run_id) REFERENCES runs(id) ON DELETE CASCADE,
  CONSTRAINT deployment_reviews_reviewer_kind_check CHECK (reviewer_kind = ANY (ARRAY['user', 'service_account'])),
  CONSTRAINT deployment_reviews_verdict_check CHECK (verdict = ANY (ARRAY['approve', 'reject']))
);
CREATE INDEX deployment_reviews_of_deployment ON deployment_reviews (deployment_id, seq);
CREATE INDEX deployment_reviews_of_org ON deployment_reviews (org_id);
CREATE INDEX deployment_reviews_of_run ON deployment_reviews (plan_run_id);

CREATE TABLE deployments (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  stack_key uuid NOT NULL,
  mode text NOT NULL,
  status text NOT NULL,
  repository_url text NOT NULL,
  branch text NOT NULL,
  working_directory text NOT NULL,
  tool text NOT NULL,
  tool_version text,
  commit_sha text NOT NULL,
  commit_message text,
  commit_author text,
  origin_type text DEFAULT 'manual' NOT NULL,
  created_by text,
  created_by_kind text,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  prioritized_at timestamp with time zone,
  prioritized_by text,
  waiting_since timestamp with time zone,
  cancel_requested_at timestamp with time zone,
  completed_at timestamp with time zone,
  skipped_reason text,
  error text,
  dependents_resolved_at timestamp with time zone,
  command_bytes integer,
  local_source_key uuid,
  local_source_sha256 text,
  pull_request_id uuid,
  origin_pr_number integer,
  origin_pr_generation integer,
  origin_head_sha text,
  origin_scm_event_id uuid,
  origin_pr_title text,
  origin_pr_url text,
  origin_pr_body text,
  dependents_snapshot_at timestamp with time zone,
  origin_dependency_deployment_id uuid,
  cascade_stack_path uuid[] DEFAULT '{}'::uuid[] NOT NULL,
  woken_at timestamp with time zone,
  provenance text DEFAULT 'unknown' NOT NULL,
  needs_person boolean DEFAULT false NOT NULL,
  hooks jsonb DEFAULT '{}'::jsonb NOT NULL,
  reminded_at timestamp with time zone,
  origin_pr_author text,
  CONSTRAINT deployments_pkey PRIMARY KEY (id),
  CONSTRAINT deployments_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT deployments_origin_dependency_deployment_id_fkey FOREIGN KEY (origin_dependency_deployment_id) REFERENCES deployments(id),
  CONSTRAINT deployments_stack_key_fkey FOREIGN KEY (stack_key) REFERENCES stacks(stack_key) ON DELETE CASCADE,
  CONSTRAINT deployments_check CHECK ((status = ANY (ARRAY['finished', 'failed', 'cancelled', 'skipped'])) = (completed_at IS NOT NULL)),
  CONSTRAINT deployments_check1 CHECK ((status = 'waiting') = (waiting_since IS NOT NULL)),
  CONSTRAINT deployments_check10 CHECK (dependents_snapshot_at IS NULL OR status = 'finished'),
  CONSTRAINT deployments_check11 CHECK (dependents_resolved_at IS NULL OR dependents_snapshot_at IS NOT NULL),
  CONSTRAINT deployments_check12 CHECK ((origin_dependency_deployment_id IS NULL) = (cascade_stack_path = '{}'::uuid[])),
  CONSTRAINT deployments_check13 CHECK (origin_dependency_deployment_id IS NULL OR origin_type = 'dependency'),
  CONSTRAINT deployments_check2 CHECK ((status <> ALL (ARRAY['requested_cancellation', 'cancelling'])) OR cancel_requested_at IS NOT NULL),
  CONSTRAINT deployments_check3 CHECK ((prioritized_at IS NULL) = (prioritized_by IS NULL)),
  CONSTRAINT deployments_check4 CHECK (skipped_reason IS NULL OR status = 'skipped'),
  CONSTRAINT deployments_check5 CHECK ((created_by IS NULL) = (created_by_kind IS NULL)),
  CONSTRAINT deployments_check6 CHECK (completed_at >= created_at),
  CONSTRAINT deployments_check7 CHECK (command_bytes IS NULL OR mode = 'raw'),
  CONSTRAINT deployments_check8 CHECK ((local_source_key IS NULL) = (local_source_sha256 IS NULL)),
  CONSTRAINT deployments_check9 CHECK (local_source_key IS NULL OR mode = 'plan_unlocked' AND origin_type = 'local'),
  CONSTRAINT deployments_command_bytes_check CHECK (command_bytes > 0),
  CONSTRAINT deployments_commit_sha_check CHECK (commit_sha ~ '^[0-9a-f]{40}([0-9a-f]{24})?$'),
  CONSTRAINT deployments_created_by_kind_check CHECK (created_by_kind = ANY (ARRAY['user', 'service_account'])),
  CONSTRAINT deployments_mode_check CHECK (mode = ANY (ARRAY['plan', 'destroy', 'refresh', 'plan_unlocked', 'raw', 'drift'])),
  CONSTRAINT deployments_origin_type_check CHECK (origin_type = ANY (ARRAY['manual', 'push', 'dependency', 'pull_request', 'promoted_pull_request', 'local', 'drift', 'schedule', 'lifetime'])),
  CONSTRAINT deployments_provenance CHECK (provenance = ANY (ARRAY['branch', 'pull_request', 'fork', 'promoted', 'local', 'foreign', 'unknown'])),
  CONSTRAINT deployments_status_check CHECK (status = ANY (ARRAY['queued', 'pending', 'planning', 'applying', 'waiting', 'requested_cancellation', 'cancelling', 'finished', 'failed', 'cancelled', 'skipped']))
);
CREATE INDEX deployments_asleep ON deployments (id) WHERE woken_at IS NULL AND (status <> ALL (ARRAY['finished', 'failed', 'cancelled', 'skipped']));
CREATE INDEX deployments_by_local_source ON deployments (local_source_key) WHERE local_source_key IS NOT NULL;
CREATE INDEX deployments_by_org ON deployments (org_id, status, created_at DESC, id DESC) WHERE mode <> 'drift';
CREATE INDEX deployments_by_parent ON deployments (origin_dependency_deployment_id) WHERE origin_dependency_deployment_id IS NOT NULL;
CREATE INDEX deployments_by_pull_request ON deployments (pull_request_id, created_at DESC) WHERE pull_request_id IS NOT NULL;
CREATE INDEX deployments_by_stack ON deployments (stack_key, created_at DESC, id DESC);
CREATE INDEX deployments_cascading ON deployments (id) WHERE dependents_snapshot_at IS NOT NULL AND dependents_resolved_at IS NULL;
CREATE INDEX deployments_checks_by_org ON deployments (org_id, status, created_at DESC, id DESC) WHERE mode = 'drift';
CREATE INDEX deployments_ended ON deployments (completed_at, id) WHERE completed_at IS NOT NULL;
CREATE INDEX deployments_failed ON deployments (org_id, completed_at) WHERE status = 'failed';
CREATE INDEX deployments_finished_by_stack ON deployments (stack_key, completed_at DESC, id DESC) WHERE status = 'finished' AND (mode = ANY (ARRAY['plan', 'destroy', 'refresh']));
CREATE UNIQUE INDEX deployments_lane ON deployments (stack_key) WHERE (status = ANY (ARRAY['pending', 'planning', 'applying', 'waiting', 'requested_cancellation', 'cancelling'])) AND (mode <> ALL (ARRAY['plan_unlocked', 'drift']));
CREATE INDEX deployments_live ON deployments (id) WHERE status <> ALL (ARRAY['finished', 'failed', 'cancelled', 'skipped']);
CREATE INDEX deployments_newest_plan ON deployments (stack_key, created_at DESC, id DESC) WHERE mode = 'plan';
CREATE INDEX deployments_old_checks ON deployments (completed_at) WHERE mode = 'drift' AND completed_at IS NOT NULL;
CREATE UNIQUE INDEX deployments_one_preview ON deployments (stack_key, pull_request_id, origin_pr_generation) WHERE origin_type = 'pull_request' AND created_by IS NULL AND skipped_reason IS DISTINCT FROM 'retracted';
CREATE INDEX deployments_queue ON deployments (stack_key, prioritized_at, created_at, id) WHERE status = 'queued';
CREATE TRIGGER deployments_drift AFTER UPDATE OF completed_at ON deployments FOR EACH ROW WHEN (old.completed_at IS NULL AND new.completed_at IS NOT NULL AND (new.mode = 'drift' OR new.status = 'finished' AND (new.mode = ANY (ARRAY['plan', 'destroy', 'refresh', 'raw'])))) EXECUTE FUNCTION drift_after_end();
CREATE TRIGGER deployments_forget_environments AFTER UPDATE OF completed_at ON deployments FOR EACH ROW WHEN (old.completed_at IS NULL AND new.completed_at IS NOT NULL AND old.status <> 'queued' AND (new.mode = ANY (ARRAY['plan', 'destroy', 'refresh']))) EXECUTE FUNCTION forget_plan_environments();
CREATE TRIGGER deployments_lifetime AFTER UPDATE OF completed_at ON deployments FOR EACH ROW WHEN (old.completed_at IS NULL AND new.completed_at IS NOT NULL AND (new.mode = ANY (ARRAY['plan', 'destroy', 'refresh', 'raw']))) EXECUTE FUNCTION lifetime_after_end();
CREATE TRIGGER deployments_open_gates AFTER UPDATE OF status ON deployments FOR EACH ROW WHEN (old.status = 'waiting' AND new.status <> 'waiting') EXECUTE FUNCTION open_gates();
CREATE TRIGGER deployments_pr_author BEFORE INSERT ON deployments FOR EACH ROW WHEN (new.pull_request_id IS NOT NULL) EXECUTE FUNCTION remember_pull_request_author();
CREATE TRIGGER deployments_transitions BEFORE INSERT OR UPDATE OF status, mode ON deployments FOR EACH ROW EXECUTE FUNCTION refuse_illegal_deployment();

CREATE TABLE device_logins (
  id uuid DEFAULT uuidv7() NOT NULL,
  device_code_sha256 bytea NOT NULL,
  user_code text NOT NULL,
  client_name text NOT NULL,
  host_name text NOT NULL,
  address text NOT NULL,
  decision text,
  session_id uuid,
  org_id uuid,
  poll_seconds integer DEFAULT 5 NOT NULL,
  polled_at timestamp with time zone,
  expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT device_logins_pkey PRIMARY KEY (id),
  CONSTRAINT device_logins_device_code_sha256_key UNIQUE (device_code_sha256),
  CONSTRAINT device_logins_user_code_key UNIQUE (user_code),
  CONSTRAINT device_logins_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT device_logins_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  CONSTRAINT device_logins_check CHECK ((NOT decision IS DISTINCT FROM 'approved') = (session_id IS NOT NULL)),
  CONSTRAINT device_logins_check1 CHECK ((session_id IS NULL) = (org_id IS NULL)),
  CONSTRAINT device_logins_client_name_check CHECK (length(client_name) >= 1 AND length(client_name) <= 40),
  CONSTRAINT device_logins_decision_check CHECK (decision = ANY (ARRAY['approved', 'denied'])),
  CONSTRAINT device_logins_device_code_sha256_check CHECK (length(device_code_sha256) = 32),
  CONSTRAINT device_logins_host_name_check CHECK (length(host_name) >= 1 AND length(host_name) <= 56),
  CONSTRAINT device_logins_user_code_check CHECK (length(user_code) <= 8 AND user_code ~ '^[B-DF-HJ-NP-TV-XZ]{8}$')
);
CREATE INDEX device_logins_by_age ON device_logins (expires_at);
CREATE INDEX device_logins_by_org ON device_logins (org_id) WHERE org_id IS NOT NULL;
CREATE INDEX device_logins_by_session ON device_logins (session_id) WHERE session_id IS NOT NULL;

CREATE TABLE dispatch_groups (
  group_id uuid NOT NULL,
  CONSTRAINT dispatch_groups_pkey PRIMARY KEY (group_id),
  CONSTRAINT dispatch_groups_group_id_fkey FOREIGN KEY (group_id) REFERENCES runner_groups(id) ON DELETE CASCADE
);

CREATE TABLE dispatch_orgs (
  org_id uuid NOT NULL,
  tokens double precision,
  refilled_at timestamp with time zone,
  throttled_until timestamp with time zone,
  CONSTRAINT dispatch_orgs_pkey PRIMARY KEY (org_id),
  CONSTRAINT dispatch_orgs_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);

CREATE TABLE domain_events (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  name text NOT NULL,
  stack_key uuid,
  deployment_id uuid,
  run_id uuid,
  actor_id text,
  actor_kind text,
  data jsonb DEFAULT '{}'::jsonb NOT NULL,
  occurred_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  fanned_out_at timestamp with time zone,
  CONSTRAINT domain_events_pkey PRIMARY KEY (id),
  CONSTRAINT domain_events_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX domain_events_by_age ON domain_events (occurred_at);
CREATE INDEX domain_events_by_deployment ON domain_events (deployment_id, occurred_at);

CREATE TABLE drift_budgets (
  org_id uuid NOT NULL,
  tokens double precision NOT NULL,
  refilled_at timestamp with time zone NOT NULL,
  CONSTRAINT drift_budgets_pkey PRIMARY KEY (org_id),
  CONSTRAINT drift_budgets_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE
);

CREATE TABLE drift_schedules (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  name text NOT NULL,
  selector jsonb NOT NULL,
  policy jsonb NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  updated_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT drift_schedules_pkey PRIMARY KEY (id),
  CONSTRAINT drift_schedules_org_id_name_key UNIQUE (org_id, name),
  CONSTRAINT drift_schedules_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT drift_schedules_name_check CHECK (length(name) >= 1 AND length(name) <= 100)
);

CREATE TABLE explore_reports (
  org_id uuid NOT NULL,
  installation uuid,
  cycles integer,
  orphans integer,
  duplicates integer,
  cycles_complete boolean,
  orphans_complete boolean,
  computed_at timestamp with time zone,
  CONSTRAINT explore_reports_pkey PRIMARY KEY (org_id),
  CONSTRAINT explore_reports_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT explore_reports_check CHECK (num_nulls(cycles, orphans, duplicates, cycles_complete, orphans_complete, computed_at) = ANY (ARRAY[0, 6]))
);

CREATE TABLE external_entitlements (
  user_id text NOT NULL,
  provider_key text NOT NULL,
  issuer text DEFAULT '' NOT NULL,
  client_id text DEFAULT '' NOT NULL,
  groups_claim text DEFAULT '' NOT NULL,
  group_key text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  told_sha256 bytea GENERATED ALWAYS AS (sha256_of(VARIADIC ARRAY[provider_key, issuer, client_id, groups_claim, group_key])) STORED NOT NULL,
  CONSTRAINT external_entitlements_pkey PRIMARY KEY (user_id, told_sha256),
  CONSTRAINT external_entitlements_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  CONSTRAINT external_entitlements_told_sha256_check CHECK (length(told_sha256) = 32)
);
CREATE INDEX external_entitlements_by_age ON external_entitlements (expires_at);
CREATE TRIGGER external_entitlements_ended AFTER DELETE ON external_entitlements FOR EACH STATEMENT EXECUTE FUNCTION tell_access_changed();

CREATE TABLE followed_logs (
  deployment_id uuid NOT NULL,
  until timestamp with time zone NOT NULL,
  CONSTRAINT followed_logs_pkey PRIMARY KEY (deployment_id),
  CONSTRAINT followed_logs_deployment_id_fkey FOREIGN KEY (deployment_id) REFERENCES deployments(id) ON DELETE CASCADE
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_cost_delay=0);

CREATE TABLE group_role_binding_roles (
  binding_id uuid NOT NULL,
  role_id uuid NOT NULL,
  CONSTRAINT group_role_binding_roles_pkey PRIMARY KEY (binding_id, role_id),
  CONSTRAINT group_role_binding_roles_binding_id_fkey FOREIGN KEY (binding_id) REFERENCES group_role_bindings(id) ON DELETE CASCADE,
  CONSTRAINT group_role_binding_roles_role_id_fkey FOREIGN KEY (role_id) REFERENCES roles(id) ON DELETE CASCADE
);
CREATE INDEX group_role_binding_roles_by_role ON group_role_binding_roles (role_id);
CREATE TRIGGER group_role_binding_roles_ended AFTER DELETE ON group_role_binding_roles FOR EACH STATEMENT EXECUTE FUNCTION tell_access_changed();

CREATE TABLE group_role_bindings (
  id uuid DEFAULT uuidv7() NOT NULL,
  identity_source_id uuid NOT NULL,
  group_key text NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT group_role_bindings_pkey PRIMARY KEY (id),
  CONSTRAINT group_role_bindings_identity_source_id_group_key_key UNIQUE (identity_source_id, group_key),
  CONSTRAINT group_role_bindings_identity_source_id_fkey FOREIGN KEY (identity_source_id) REFERENCES identity_sources(id) ON DELETE CASCADE,
  CONSTRAINT group_role_bindings_group_key_check CHECK (length(group_key) >= 1 AND length(group_key) <= 500)
);
CREATE TRIGGER group_role_bindings_ended AFTER DELETE ON group_role_bindings FOR EACH STATEMENT EXECUTE FUNCTION tell_access_changed();

CREATE TABLE group_selectors (
  group_id uuid NOT NULL,
  selector_id uuid NOT NULL,
  CONSTRAINT group_selectors_pkey PRIMARY KEY (group_id, selector_id),
  CONSTRAINT group_selectors_group_id_fkey FOREIGN KEY (group_id) REFERENCES runner_groups(id) ON DELETE CASCADE,
  CONSTRAINT group_selectors_selector_id_fkey FOREIGN KEY (selector_id) REFERENCES runner_selectors(id) ON DELETE CASCADE
);
CREATE INDEX group_selectors_by_selector ON group_selectors (selector_id);

CREATE TABLE idempotency_keys (
  principal_id text NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  key text NOT NULL,
  body_sha256 text NOT NULL,
  decision_id uuid,
  answer jsonb,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  scope_sha256 bytea GENERATED ALWAYS AS (sha256_of(VARIADIC ARRAY[principal_id, method, path, key])) STORED NOT NULL,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (scope_sha256),
  CONSTRAINT idempotency_keys_decision_id_fkey FOREIGN KEY (decision_id) REFERENCES decisions(id) ON DELETE SET NULL,
  CONSTRAINT idempotency_keys_key_check CHECK (length(key) >= 1 AND length(key) <= 255),
  CONSTRAINT idempotency_keys_scope_sha256_check CHECK (length(scope_sha256) = 32)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
CREATE INDEX idempotency_keys_by_decision ON idempotency_keys (decision_id) WHERE decision_id IS NOT NULL;

CREATE TABLE identity_keys (
  id uuid DEFAULT uuidv7() NOT NULL,
  private_key bytea NOT NULL,
  public_jwk jsonb NOT NULL,
  signs_from timestamp with time zone NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT identity_keys_pkey PRIMARY KEY (id)
);

CREATE TABLE identity_sources (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  provider_key text NOT NULL,
  source_slug text NOT NULL,
  display_name text NOT NULL,
  oidc_issuer text DEFAULT '' NOT NULL,
  oidc_client_id text DEFAULT '' NOT NULL,
  oidc_groups_claim text DEFAULT '' NOT NULL,
  groups_scope text,
  client_secret bytea,
  enabled boolean DEFAULT true NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  updated_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT identity_sources_pkey PRIMARY KEY (id),
  CONSTRAINT identity_sources_org_id_source_slug_key UNIQUE (org_id, source_slug),
  CONSTRAINT identity_sources_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT identity_sources_check CHECK ((provider_key = 'oidc') = (oidc_issuer <> '')),
  CONSTRAINT identity_sources_check1 CHECK ((provider_key = 'oidc') = (oidc_client_id <> '')),
  CONSTRAINT identity_sources_check2 CHECK (provider_key <> 'oidc' OR oidc_groups_claim <> ''),
  CONSTRAINT identity_sources_display_name_check CHECK (length(display_name) >= 1 AND length(display_name) <= 100),
  CONSTRAINT identity_sources_oidc_issuer_check CHECK (octet_length(oidc_issuer) <= 1500) NOT VALID,
  CONSTRAINT identity_sources_provider_key_check CHECK (provider_key = ANY (ARRAY['codehost', 'workspace', 'oidc'])),
  CONSTRAINT identity_sources_source_slug_check CHECK (source_slug ~ '^[a-z0-9][a-z0-9-]{0,62}$')
);
CREATE INDEX identity_sources_by_issuer ON identity_sources (oidc_issuer) WHERE provider_key = 'oidc';
CREATE UNIQUE INDEX identity_sources_static ON identity_sources (org_id, provider_key) WHERE provider_key <> 'oidc';
CREATE TRIGGER identity_sources_ended AFTER DELETE OR UPDATE ON identity_sources FOR EACH STATEMENT EXECUTE FUNCTION tell_access_changed();

CREATE TABLE invitations (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  provider_key text NOT NULL,
  login text NOT NULL,
  role_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
  invited_by text,
  expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT invitations_pkey PRIMARY KEY (id),
  CONSTRAINT invitations_org_id_provider_key_login_key UNIQUE (org_id, provider_key, login),
  CONSTRAINT invitations_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT invitations_login_check CHECK (length(login) >= 1 AND length(login) <= 320),
  CONSTRAINT invitations_provider_key_check CHECK (provider_key = ANY (ARRAY['codehost', 'workspace', 'oidc'])),
  CONSTRAINT invitations_role_ids_check CHECK (cardinality(role_ids) <= 20)
);
CREATE INDEX invitations_by_login ON invitations (provider_key, login);

CREATE TABLE known_names (
  name text NOT NULL,
  user_id text NOT NULL,
  CONSTRAINT known_names_pkey PRIMARY KEY (user_id, name),
  CONSTRAINT known_names_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  CONSTRAINT known_names_name_check CHECK (octet_length(name) <= 600)
);
CREATE INDEX known_names_by_name ON known_names (name);

CREATE TABLE lifetime_makers (
  stack_key uuid NOT NULL,
  kind text NOT NULL,
  maker_id text NOT NULL,
  CONSTRAINT lifetime_makers_pkey PRIMARY KEY (stack_key, kind, maker_id),
  CONSTRAINT lifetime_makers_stack_key_fkey FOREIGN KEY (stack_key) REFERENCES stack_lifetimes(stack_key) ON DELETE CASCADE,
  CONSTRAINT lifetime_makers_kind_check CHECK (kind = ANY (ARRAY['user', 'service_account'])),
  CONSTRAINT lifetime_makers_maker_id_check CHECK (octet_length(maker_id) <= 2000)
);

CREATE TABLE local_sources (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  stack_key uuid NOT NULL,
  object_key text NOT NULL,
  size bigint,
  sha256 text,
  created_by text NOT NULL,
  created_by_kind text NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  used_at timestamp with time zone,
  removed_at timestamp with time zone,
  key_id text,
  CONSTRAINT local_sources_pkey PRIMARY KEY (id),
  CONSTRAINT local_sources_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT local_sources_stack_key_fkey FOREIGN KEY (stack_key) REFERENCES stacks(stack_key) ON DELETE CASCADE,
  CONSTRAINT local_sources_check CHECK ((size IS NULL) = (sha256 IS NULL)),
  CONSTRAINT local_sources_check1 CHECK (used_at IS NULL OR sha256 IS NOT NULL),
  CONSTRAINT local_sources_created_by_kind_check CHECK (created_by_kind = ANY (ARRAY['user', 'service_account'])),
  CONSTRAINT local_sources_sha256_check CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  CONSTRAINT local_sources_size_check CHECK (size > 0)
);
CREATE INDEX local_sources_by_age ON local_sources (created_at);

CREATE TABLE log_chunks (
  run_id uuid NOT NULL,
  chunk_index integer NOT NULL,
  sealed boolean DEFAULT false NOT NULL,
  size integer NOT NULL,
  live_bytes bytea,
  object_key text,
  sha256 text,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  key_id text,
  CONSTRAINT log_chunks_pkey PRIMARY KEY (run_id, chunk_index),
  CONSTRAINT log_chunks_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE,
  CONSTRAINT log_chunks_check CHECK (sealed = (object_key IS NOT NULL)),
  CONSTRAINT log_chunks_check1 CHECK (sealed = (live_bytes IS NULL)),
  CONSTRAINT log_chunks_chunk_index_check CHECK (chunk_index >= 0),
  CONSTRAINT log_chunks_size_check CHECK (size >= 0)
);

CREATE TABLE membership_offers (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  user_id text NOT NULL,
  source text NOT NULL,
  identity_id uuid,
  offered_by text,
  member_until timestamp with time zone,
  expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT membership_offers_pkey PRIMARY KEY (id),
  CONSTRAINT membership_offers_user_id_org_id_key UNIQUE (user_id, org_id),
  CONSTRAINT membership_offers_identity_id_fkey FOREIGN KEY (identity_id) REFERENCES user_identities(id) ON DELETE CASCADE,
  CONSTRAINT membership_offers_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT membership_offers_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  CONSTRAINT membership_offers_source_check CHECK (source = ANY (ARRAY['manual', 'identity_source']))
);
CREATE INDEX membership_offers_by_age ON membership_offers (expires_at);
CREATE INDEX membership_offers_by_identity ON membership_offers (identity_id) WHERE identity_id IS NOT NULL;
CREATE INDEX membership_offers_by_org ON membership_offers (org_id);

CREATE TABLE memberships (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  user_id text NOT NULL,
  source text DEFAULT 'manual' NOT NULL,
  expires_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  identity_id uuid,
  CONSTRAINT memberships_pkey PRIMARY KEY (id),
  CONSTRAINT memberships_user_id_org_id_key UNIQUE (user_id, org_id),
  CONSTRAINT memberships_identity_id_fkey FOREIGN KEY (identity_id) REFERENCES user_identities(id) ON DELETE SET NULL,
  CONSTRAINT memberships_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX memberships_by_expiry ON memberships (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX memberships_by_identity ON memberships (identity_id) WHERE identity_id IS NOT NULL;
CREATE INDEX memberships_by_org ON memberships (org_id, user_id);
CREATE TRIGGER memberships_ended AFTER DELETE OR UPDATE OF expires_at ON memberships FOR EACH STATEMENT EXECUTE FUNCTION tell_access_changed();
CREATE TRIGGER memberships_mark_tokens AFTER INSERT OR DELETE ON memberships FOR EACH ROW EXECUTE FUNCTION mark_tokens_of_minter();

CREATE TABLE notification_deliveries (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  integration_id uuid NOT NULL,
  domain_event_id uuid NOT NULL,
  event_type text NOT NULL,
  stack_key uuid,
  deployment_id uuid,
  body text NOT NULL,
  status text DEFAULT 'pending' NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  last_status integer,
  last_error text,
  due_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  dead_at timestamp with time zone,
  recipients text[],
  CONSTRAINT notification_deliveries_pkey PRIMARY KEY (id),
  CONSTRAINT notification_deliveries_domain_event_id_integration_id_key UNIQUE (domain_event_id, integration_id),
  CONSTRAINT notification_deliveries_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES notification_integrations(id) ON DELETE CASCADE,
  CONSTRAINT notification_deliveries_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT notification_deliveries_check CHECK ((status = 'dead') = (dead_at IS NOT NULL)),
  CONSTRAINT notification_deliveries_status_check CHECK (status = ANY (ARRAY['pending', 'dead']))
);
CREATE INDEX notification_deliveries_by_integration ON notification_deliveries (integration_id, status);
CREATE INDEX notification_deliveries_by_org ON notification_deliveries (org_id, created_at DESC, id DESC);
CREATE INDEX notification_deliveries_dead ON notification_deliveries (dead_at) WHERE status = 'dead';
CREATE INDEX notification_deliveries_pending ON notification_deliveries (id) WHERE status = 'pending';

CREATE TABLE notification_integrations (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  name text NOT NULL,
  provider_type text NOT NULL,
  enabled boolean DEFAULT true NOT NULL,
  events text[] NOT NULL,
  changes_only boolean DEFAULT false NOT NULL,
  stack_label_selector jsonb DEFAULT '{}'::jsonb NOT NULL,
  auth_config bytea NOT NULL,
  auth_config_summary jsonb DEFAULT '{}'::jsonb NOT NULL,
  reported_findings jsonb,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  updated_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  provider_config jsonb DEFAULT '{}'::jsonb NOT NULL,
  CONSTRAINT notification_integrations_pkey PRIMARY KEY (id),
  CONSTRAINT notification_integrations_org_id_name_key UNIQUE (org_id, name),
  CONSTRAINT notification_integrations_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT notification_integrations_name_check CHECK (length(name) >= 1 AND length(name) <= 100),
  CONSTRAINT notification_integrations_provider_type_check CHECK (provider_type = ANY (ARRAY['webhook', 'chat', 'slack', 'teams', 'email'])),
  CONSTRAINT notification_integrations_stack_label_selector_check CHECK (jsonb_typeof(stack_label_selector) = 'object')
);

CREATE TABLE org_tasks (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  kind text NOT NULL,
  stack_key uuid,
  subject_key uuid GENERATED ALWAYS AS (COALESCE(stack_key, org_id)) STORED NOT NULL,
  status text DEFAULT 'pending' NOT NULL,
  requested bigint DEFAULT 1 NOT NULL,
  answering bigint,
  cursor jsonb,
  cursor_version integer DEFAULT 0 NOT NULL,
  claim_seq bigint DEFAULT 0 NOT NULL,
  claimed_until timestamp with time zone,
  attempts integer DEFAULT 0 NOT NULL,
  last_error text,
  due_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  completed_at timestamp with time zone,
  CONSTRAINT org_tasks_pkey PRIMARY KEY (id),
  CONSTRAINT org_tasks_kind_subject_key_key UNIQUE (kind, subject_key),
  CONSTRAINT org_tasks_check CHECK ((status = 'done') = (completed_at IS NOT NULL)),
  CONSTRAINT org_tasks_check1 CHECK (status <> 'done' OR cursor IS NULL AND claimed_until IS NULL),
  CONSTRAINT org_tasks_kind_check CHECK (kind ~ '^[a-z][a-z_]{1,60}$'),
  CONSTRAINT org_tasks_status_check CHECK (status = ANY (ARRAY['pending', 'done']))
);
CREATE INDEX org_tasks_done ON org_tasks (completed_at) WHERE status = 'done';
CREATE INDEX org_tasks_pending ON org_tasks (id) WHERE status = 'pending';
CREATE INDEX org_tasks_unread_analyses ON org_tasks (org_id) WHERE status = 'pending' AND kind = 'dependency_graph_reconcile';

CREATE TABLE organization_proofs (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  token text NOT NULL,
  proven_at timestamp with time zone,
  proven_by text,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT organization_proofs_pkey PRIMARY KEY (id),
  CONSTRAINT organization_proofs_org_id_kind_name_key UNIQUE (org_id, kind, name),
  CONSTRAINT organization_proofs_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT organization_proofs_kind_check CHECK (kind = ANY (ARRAY['domain', 'codehost_org'])),
  CONSTRAINT organization_proofs_name_check CHECK (length(name) >= 1 AND length(name) <= 500),
  CONSTRAINT organization_proofs_proven_by_check CHECK (proven_by = ANY (ARRAY['dns', 'operator', 'app']))
);

CREATE TABLE organizations (
  id uuid DEFAULT uuidv7() NOT NULL,
  name text NOT NULL,
  is_personal boolean DEFAULT false NOT NULL,
  max_users integer DEFAULT 1 NOT NULL,
  runs_per_hour_limit integer NOT NULL,
  default_runner_group_id uuid,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  login_handle text,
  owner_user_id text,
  created_by text,
  CONSTRAINT organizations_pkey PRIMARY KEY (id),
  CONSTRAINT organizations_login_handle_key UNIQUE (login_handle),
  CONSTRAINT organizations_default_runner_group_id_fkey FOREIGN KEY (default_runner_group_id) REFERENCES runner_groups(id) ON DELETE SET NULL,
  CONSTRAINT organizations_owner_user_id_fkey FOREIGN KEY (owner_user_id) REFERENCES users(id) ON DELETE CASCADE,
  CONSTRAINT organizations_check CHECK (is_personal = (owner_user_id IS NOT NULL)),
  CONSTRAINT organizations_created_by_check CHECK (octet_length(created_by) <= 2000),
  CONSTRAINT organizations_login_handle_check CHECK (login_handle ~ '^[a-z0-9][a-z0-9-]{1,62}$'),
  CONSTRAINT organizations_max_users_check CHECK (max_users >= 1),
  CONSTRAINT organizations_name_check CHECK (length(name) >= 1 AND length(name) <= 100),
  CONSTRAINT organizations_runs_per_hour_limit_check CHECK (runs_per_hour_limit >= 0)
);
CREATE INDEX organizations_by_creator ON organizations (created_by) WHERE created_by IS NOT NULL;
CREATE INDEX organizations_by_default_group ON organizations (default_runner_group_id);
CREATE UNIQUE INDEX organizations_personal ON organizations (owner_user_id);
CREATE TRIGGER organizations_dependencies AFTER INSERT ON organizations FOR EACH ROW EXECUTE FUNCTION make_dependency_org();
CREATE TRIGGER organizations_dispatch AFTER INSERT ON organizations FOR EACH ROW EXECUTE FUNCTION make_dispatch_org();
CREATE TRIGGER organizations_rate AFTER UPDATE OF runs_per_hour_limit ON organizations FOR EACH ROW WHEN (old.runs_per_hour_limit IS DISTINCT FROM new.runs_per_hour_limit) EXECUTE FUNCTION clear_throttle();

CREATE TABLE outbox (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  message jsonb NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  due_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  traceparent text,
  class smallint GENERATED ALWAYS AS (outbox_class(message)) STORED,
  org_id uuid GENERATED ALWAYS AS (COALESCE((message ->> 'orgId')::uuid, '00000000-0000-0000-0000-000000000000'::uuid)) STORED,
  CONSTRAINT outbox_pkey PRIMARY KEY (id)
) WITH (fillfactor=70, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_insert_threshold=20000, autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_cost_delay=0);
CREATE INDEX outbox_patient ON outbox (class, org_id, due_at, id) WHERE class >= 2;
CREATE INDEX outbox_urgent ON outbox (class, due_at, id) WHERE class < 2;

CREATE TABLE output_readers (
  stack_key uuid NOT NULL,
  reader_key uuid NOT NULL,
  org_id uuid NOT NULL,
  sensitive boolean NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT output_readers_pkey PRIMARY KEY (stack_key, reader_key),
  CONSTRAINT output_readers_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT output_readers_reader_key_fkey FOREIGN KEY (reader_key) REFERENCES stacks(stack_key) ON DELETE CASCADE,
  CONSTRAINT output_readers_stack_key_fkey FOREIGN KEY (stack_key) REFERENCES stacks(stack_key) ON DELETE CASCADE,
  CONSTRAINT output_readers_check CHECK (stack_key <> reader_key)
);
CREATE INDEX output_readers_of_org ON output_readers (org_id);
CREATE INDEX output_readers_of_reader ON output_readers (reader_key);

CREATE TABLE output_waits (
  stack_key uuid NOT NULL,
  awaited_key uuid NOT NULL,
  org_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT output_waits_pkey PRIMARY KEY (stack_key, awaited_key),
  CONSTRAINT output_waits_awaited_key_fkey FOREIGN KEY (awaited_key) REFERENCES stacks(stack_key) ON DELETE CASCADE,
  CONSTRAINT output_waits_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT output_waits_stack_key_fkey FOREIGN KEY (stack_key) REFERENCES stacks(stack_key) ON DELETE CASCADE
);
CREATE INDEX output_waits_of_awaited ON output_waits (awaited_key);
CREATE INDEX output_waits_of_org ON output_waits (org_id);

CREATE TABLE personal_access_tokens (
  id uuid DEFAULT uuidv7() NOT NULL,
  user_id text NOT NULL,
  org_id uuid NOT NULL,
  name text NOT NULL,
  token_sha256 bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT personal_access_tokens_pkey PRIMARY KEY (id),
  CONSTRAINT personal_access_tokens_token_sha256_key UNIQUE (token_sha256),
  CONSTRAINT personal_access_tokens_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT personal_access_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  CONSTRAINT personal_access_tokens_name_check CHECK (length(name) >= 1 AND length(name) <= 100),
  CONSTRAINT personal_access_tokens_token_sha256_check CHECK (length(token_sha256) = 32)
);
CREATE INDEX personal_access_tokens_by_org ON personal_access_tokens (org_id);
CREATE INDEX personal_access_tokens_by_user ON personal_access_tokens (user_id, org_id);
CREATE TRIGGER personal_access_tokens_ended AFTER DELETE ON personal_access_tokens FOR EACH STATEMENT EXECUTE FUNCTION tell_access_changed();

CREATE TABLE plan_environments (
  run_id uuid NOT NULL,
  org_id uuid NOT NULL,
  sealed bytea,
  CONSTRAINT plan_environments_pkey PRIMARY KEY (run_id),
  CONSTRAINT plan_environments_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE
);

CREATE TABLE plan_inputs (
  run_id uuid NOT NULL,
  org_id uuid NOT NULL,
  sealed bytea NOT NULL,
  CONSTRAINT plan_inputs_pkey PRIMARY KEY (run_id),
  CONSTRAINT plan_inputs_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE
);

CREATE TABLE policies (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  name text NOT NULL,
  description text DEFAULT '' NOT NULL,
  enforcement text NOT NULL,
  selector jsonb DEFAULT '{}'::jsonb NOT NULL,
  modes text[] NOT NULL,
  version integer,
  last_version integer DEFAULT 0 NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  updated_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT policies_pkey PRIMARY KEY (id),
  CONSTRAINT policies_org_id_name_key UNIQUE (org_id, name),
  CONSTRAINT policies_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT policies_enforcement_check CHECK (enforcement = ANY (ARRAY['shadow', 'advisory', 'mandatory'])),
  CONSTRAINT policies_name_check CHECK (length(name) >= 1 AND length(name) <= 100)
);

CREATE TABLE policy_evaluations (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  deployment_id uuid NOT NULL,
  plan_run_id uuid NOT NULL,
  status text DEFAULT 'pending' NOT NULL,
  outcome text,
  results jsonb DEFAULT '[]'::jsonb NOT NULL,
  requested_by text,
  requested_by_kind text,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  completed_at timestamp with time zone,
  overridden_by text,
  overridden_by_kind text,
  overridden_at timestamp with time zone,
  override_reason text,
  CONSTRAINT policy_evaluations_pkey PRIMARY KEY (id),
  CONSTRAINT policy_evaluations_deployment_id_fkey FOREIGN KEY (deployment_id) REFERENCES deployments(id) ON DELETE CASCADE,
  CONSTRAINT policy_evaluations_outcome_check CHECK (outcome = ANY (ARRAY['passed', 'warned', 'denied'])),
  CONSTRAINT policy_evaluations_overridden_by_kind_check CHECK (overridden_by_kind = ANY (ARRAY['user', 'service_account', 'operator'])),
  CONSTRAINT policy_evaluations_requested_by_kind_check CHECK (requested_by_kind = ANY (ARRAY['user', 'service_account', 'operator'])),
  CONSTRAINT policy_evaluations_status_check CHECK (status = ANY (ARRAY['pending', 'done', 'void']))
);
CREATE INDEX policy_evaluations_of_deployment ON policy_evaluations (deployment_id, id);
CREATE INDEX policy_evaluations_of_plan ON policy_evaluations (plan_run_id, id);
CREATE UNIQUE INDEX policy_evaluations_pending ON policy_evaluations (plan_run_id) WHERE status = 'pending';

CREATE TABLE policy_exemptions (
  id uuid DEFAULT uuidv7() NOT NULL,
  policy_id uuid NOT NULL,
  stack_key uuid NOT NULL,
  reason text NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  created_by text NOT NULL,
  created_by_kind text NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT policy_exemptions_pkey PRIMARY KEY (id),
  CONSTRAINT policy_exemptions_policy_id_fkey FOREIGN KEY (policy_id) REFERENCES policies(id) ON DELETE CASCADE,
  CONSTRAINT policy_exemptions_stack_key_fkey FOREIGN KEY (stack_key) REFERENCES stacks(stack_key) ON DELETE CASCADE,
  CONSTRAINT policy_exemptions_created_by_kind_check CHECK (created_by_kind = ANY (ARRAY['user', 'service_account', 'operator']))
);
CREATE INDEX policy_exemptions_by_policy ON policy_exemptions (policy_id);
CREATE INDEX policy_exemptions_by_stack ON policy_exemptions (stack_key);

CREATE TABLE policy_versions (
  policy_id uuid NOT NULL,
  version integer NOT NULL,
  kind text NOT NULL,
  digest text NOT NULL,
  rules jsonb,
  source text,
  wasm bytea,
  entrypoint text,
  created_by text NOT NULL,
  created_by_kind text NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT policy_versions_pkey PRIMARY KEY (policy_id, version),
  CONSTRAINT policy_versions_policy_id_fkey FOREIGN KEY (policy_id) REFERENCES policies(id) ON DELETE CASCADE,
  CONSTRAINT policy_versions_created_by_kind_check CHECK (created_by_kind = ANY (ARRAY['user', 'service_account', 'operator'])),
  CONSTRAINT policy_versions_kind_check CHECK (kind = ANY (ARRAY['rules', 'rego', 'bundle']))
);

CREATE TABLE protected_labels (
  org_id uuid NOT NULL,
  key text NOT NULL,
  CONSTRAINT protected_labels_pkey PRIMARY KEY (org_id, key),
  CONSTRAINT protected_labels_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT protected_labels_key_check CHECK (NOT starts_with(key, 'svc:')),
  CONSTRAINT protected_labels_key_check1 CHECK (octet_length(key) <= 128) NOT VALID
);

CREATE TABLE pull_request_stacks (
  pull_request_id uuid NOT NULL,
  stack_key uuid NOT NULL,
  latest_deployment_id uuid,
  comment_id text,
  published_status text,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  status_refusal text,
  comment_refusal text,
  CONSTRAINT pull_request_stacks_pkey PRIMARY KEY (pull_request_id, stack_key),
  CONSTRAINT pull_request_stacks_latest_deployment_id_fkey FOREIGN KEY (latest_deployment_id) REFERENCES deployments(id) ON DELETE SET NULL,
  CONSTRAINT pull_request_stacks_pull_request_id_fkey FOREIGN KEY (pull_request_id) REFERENCES pull_requests(id) ON DELETE CASCADE,
  CONSTRAINT pull_request_stacks_stack_key_fkey FOREIGN KEY (stack_key) REFERENCES stacks(stack_key) ON DELETE CASCADE
);
CREATE INDEX pull_request_stacks_by_latest ON pull_request_stacks (latest_deployment_id) WHERE latest_deployment_id IS NOT NULL;
CREATE INDEX pull_request_stacks_by_stack ON pull_request_stacks (stack_key);

CREATE TABLE pull_requests (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  repository_key text NOT NULL,
  number integer NOT NULL,
  title text NOT NULL,
  url text NOT NULL,
  body text DEFAULT '' NOT NULL,
  author text,
  base_branch text NOT NULL,
  head_branch text NOT NULL,
  head_sha text NOT NULL,
  is_fork boolean NOT NULL,
  generation integer DEFAULT 1 NOT NULL,
  files_complete boolean NOT NULL,
  approved boolean,
  mergeable boolean,
  checks_passed boolean,
  host_updated_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  updated_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  approved_reason text,
  checks_reason text,
  CONSTRAINT pull_requests_pkey PRIMARY KEY (id),
  CONSTRAINT pull_requests_org_id_repository_key_number_key UNIQUE (org_id, repository_key, number),
  CONSTRAINT pull_requests_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT pull_requests_base_branch_check CHECK (octet_length(base_branch) <= 765) NOT VALID,
  CONSTRAINT pull_requests_repository_key_check CHECK (octet_length(repository_key) <= 1000) NOT VALID
);
CREATE INDEX pull_requests_by_base ON pull_requests (org_id, repository_key, base_branch);

CREATE TABLE raw_commands (
  id uuid NOT NULL,
  deployment_id uuid NOT NULL,
  script bytea NOT NULL,
  CONSTRAINT raw_commands_pkey PRIMARY KEY (id),
  CONSTRAINT raw_commands_deployment_id_key UNIQUE (deployment_id),
  CONSTRAINT raw_commands_deployment_id_fkey FOREIGN KEY (deployment_id) REFERENCES deployments(id) ON DELETE CASCADE
);

CREATE TABLE reconciler_sightings (
  workflow_id text NOT NULL,
  kind text NOT NULL,
  execution_run_id text,
  seen_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT reconciler_sightings_pkey PRIMARY KEY (workflow_id, kind),
  CONSTRAINT reconciler_sightings_kind_check CHECK (kind = ANY (ARRAY['overdue', 'without_row'])),
  CONSTRAINT reconciler_sightings_workflow_id_check CHECK (octet_length(workflow_id) <= 2000) NOT VALID
);

CREATE TABLE retention_progress (
  kind text NOT NULL,
  completed_at timestamp with time zone NOT NULL,
  deployment_id uuid NOT NULL,
  CONSTRAINT retention_progress_pkey PRIMARY KEY (kind),
  CONSTRAINT retention_progress_kind_check CHECK (kind = ANY (ARRAY['logs', 'artifacts', 'trees', 'deployment_events'])),
  CONSTRAINT retention_progress_kind_check1 CHECK (octet_length(kind) <= 100) NOT VALID
);

CREATE TABLE role_assignments (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  role_id uuid NOT NULL,
  user_id text,
  service_account_id uuid,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT role_assignments_pkey PRIMARY KEY (id),
  CONSTRAINT role_assignments_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT role_assignments_role_id_fkey FOREIGN KEY (role_id) REFERENCES roles(id) ON DELETE CASCADE,
  CONSTRAINT role_assignments_service_account_id_fkey FOREIGN KEY (service_account_id) REFERENCES service_accounts(id) ON DELETE CASCADE,
  CONSTRAINT role_assignments_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  CONSTRAINT role_assignments_check CHECK (num_nonnulls(user_id, service_account_id) = 1)
);
CREATE INDEX role_assignments_by_org ON role_assignments (org_id, created_at DESC, id DESC);
CREATE INDEX role_assignments_by_org_role ON role_assignments (org_id, role_id);
CREATE INDEX role_assignments_by_role ON role_assignments (role_id);
CREATE UNIQUE INDEX role_assignments_of_account ON role_assignments (service_account_id, org_id, role_id) WHERE service_account_id IS NOT NULL;
CREATE UNIQUE INDEX role_assignments_of_user ON role_assignments (user_id, org_id, role_id) WHERE user_id IS NOT NULL;
CREATE TRIGGER role_assignments_ended AFTER DELETE ON role_assignments FOR EACH STATEMENT EXECUTE FUNCTION tell_access_changed();

CREATE TABLE role_permissions (
  id uuid DEFAULT uuidv7() NOT NULL,
  role_id uuid NOT NULL,
  resource_type text NOT NULL,
  action text NOT NULL,
  resource_pattern text,
  authz_group text,
  CONSTRAINT role_permissions_pkey PRIMARY KEY (id),
  CONSTRAINT role_permissions_role_id_resource_type_action_resource_patt_key UNIQUE NULLS NOT DISTINCT (role_id, resource_type, action, resource_pattern, authz_group),
  CONSTRAINT role_permissions_role_id_fkey FOREIGN KEY (role_id) REFERENCES roles(id) ON DELETE CASCADE,
  CONSTRAINT role_permissions_action_check CHECK (octet_length(action) <= 50) NOT VALID,
  CONSTRAINT role_permissions_authz_group_check CHECK (octet_length(authz_group) <= 300) NOT VALID,
  CONSTRAINT role_permissions_check CHECK (resource_pattern IS NULL OR authz_group IS NULL),
  CONSTRAINT role_permissions_resource_pattern_check CHECK (octet_length(resource_pattern) <= 600) NOT VALID,
  CONSTRAINT role_permissions_resource_type_check CHECK (octet_length(resource_type) <= 50) NOT VALID
);
CREATE TRIGGER role_permissions_ended AFTER DELETE ON role_permissions FOR EACH STATEMENT EXECUTE FUNCTION tell_access_changed();

CREATE TABLE roles (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid,
  name text NOT NULL,
  is_system boolean DEFAULT false NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT roles_pkey PRIMARY KEY (id),
  CONSTRAINT roles_org_id_name_key UNIQUE NULLS NOT DISTINCT (org_id, name),
  CONSTRAINT roles_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT roles_check CHECK (is_system = (org_id IS NULL)),
  CONSTRAINT roles_name_check CHECK (length(name) >= 1 AND length(name) <= 100)
);

CREATE TABLE run_liveness (
  run_id uuid NOT NULL,
  last_seen_at timestamp with time zone NOT NULL,
  CONSTRAINT run_liveness_pkey PRIMARY KEY (run_id),
  CONSTRAINT run_liveness_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=10000, autovacuum_vacuum_cost_delay=0);

CREATE TABLE runner_group_addresses (
  group_id uuid NOT NULL,
  address text NOT NULL,
  first_seen_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  last_seen_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT runner_group_addresses_pkey PRIMARY KEY (group_id, address),
  CONSTRAINT runner_group_addresses_group_id_fkey FOREIGN KEY (group_id) REFERENCES runner_groups(id) ON DELETE CASCADE,
  CONSTRAINT runner_group_addresses_address_check CHECK (length(address) <= 64)
);

CREATE TABLE runner_groups (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  name text NOT NULL,
  labels jsonb DEFAULT '{}'::jsonb NOT NULL,
  max_concurrent_runs integer DEFAULT 10 NOT NULL,
  public_key_pem text NOT NULL,
  public_key_fingerprint text NOT NULL,
  last_contact_at timestamp with time zone,
  runner_version text,
  last_dispatch_error text,
  last_dispatch_error_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  updated_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  walled_contact_at timestamp with time zone,
  max_drift_runs integer DEFAULT 2 NOT NULL,
  CONSTRAINT runner_groups_pkey PRIMARY KEY (id),
  CONSTRAINT runner_groups_org_id_name_key UNIQUE (org_id, name),
  CONSTRAINT runner_groups_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT runner_groups_labels_check CHECK (jsonb_typeof(labels) = 'object'),
  CONSTRAINT runner_groups_max_concurrent_runs_check CHECK (max_concurrent_runs >= 1 AND max_concurrent_runs <= 10000),
  CONSTRAINT runner_groups_max_drift_runs_check CHECK (max_drift_runs >= 0),
  CONSTRAINT runner_groups_name_check CHECK (length(name) >= 1 AND length(name) <= 100)
);
CREATE TRIGGER runner_groups_dispatch AFTER INSERT ON runner_groups FOR EACH ROW EXECUTE FUNCTION make_dispatch_group();

CREATE TABLE runner_selectors (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  labels jsonb NOT NULL,
  CONSTRAINT runner_selectors_pkey PRIMARY KEY (id),
  CONSTRAINT runner_selectors_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT runner_selectors_labels_check CHECK (jsonb_typeof(labels) = 'object')
);
CREATE UNIQUE INDEX runner_selectors_once ON runner_selectors (org_id, sha256_of(VARIADIC ARRAY[labels::text]));

CREATE TABLE runners (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  group_id uuid NOT NULL,
  run_id uuid NOT NULL,
  claim_seq integer NOT NULL,
  status text DEFAULT 'not-ready' NOT NULL,
  last_seen_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT runners_pkey PRIMARY KEY (id),
  CONSTRAINT runners_run_id_claim_seq_key UNIQUE (run_id, claim_seq),
  CONSTRAINT runners_group_id_fkey FOREIGN KEY (group_id) REFERENCES runner_groups(id) ON DELETE CASCADE,
  CONSTRAINT runners_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT runners_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE,
  CONSTRAINT runners_status_check CHECK (status = ANY (ARRAY['not-ready', 'ready', 'busy', 'finished', 'failed', 'gone']))
);
CREATE INDEX runners_accepted ON runners (last_seen_at) WHERE status = ANY (ARRAY['busy', 'finished', 'failed', 'gone']);
CREATE INDEX runners_by_group ON runners (group_id);
CREATE INDEX runners_by_org ON runners (org_id, created_at, id);
CREATE INDEX runners_unaccepted ON runners (created_at) WHERE status = ANY (ARRAY['not-ready', 'ready']);

CREATE TABLE runs (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  deployment_id uuid NOT NULL,
  kind text NOT NULL,
  status text NOT NULL,
  selector_id uuid NOT NULL,
  state_locked boolean NOT NULL,
  plan_run_id uuid,
  targets text[] DEFAULT '{}'::text[] NOT NULL,
  excludes text[] DEFAULT '{}'::text[] NOT NULL,
  replaces text[] DEFAULT '{}'::text[] NOT NULL,
  prioritized_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  first_pending_at timestamp with time zone,
  claim_seq integer DEFAULT 0 NOT NULL,
  assignment_attempts integer DEFAULT 0 NOT NULL,
  assigned_runner_id uuid,
  assigned_group_id uuid,
  assigned_at timestamp with time zone,
  assigned_expires_at timestamp with time zone,
  started_at timestamp with time zone,
  cancel_requested_at timestamp with time zone,
  completed_at timestamp with time zone,
  exit_code integer,
  error text,
  plan_summary jsonb,
  plan_sha256 text,
  done_sha256 text,
  traceparent text,
  lease_woken_at timestamp with time zone,
  accept_problem text,
  tree_sha256 text,
  needs_wall boolean DEFAULT false NOT NULL,
  state_token_hash bytea,
  background boolean DEFAULT false NOT NULL,
  drift jsonb,
  CONSTRAINT runs_pkey PRIMARY KEY (id),
  CONSTRAINT runs_assigned_group_id_fkey FOREIGN KEY (assigned_group_id) REFERENCES runner_groups(id) ON DELETE SET NULL,
  CONSTRAINT runs_assigned_runner_id_fkey FOREIGN KEY (assigned_runner_id) REFERENCES runners(id) ON DELETE SET NULL,
  CONSTRAINT runs_deployment_id_fkey FOREIGN KEY (deployment_id) REFERENCES deployments(id) ON DELETE CASCADE,
  CONSTRAINT runs_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT runs_plan_run_id_fkey FOREIGN KEY (plan_run_id) REFERENCES runs(id),
  CONSTRAINT runs_selector_id_fkey FOREIGN KEY (selector_id) REFERENCES runner_selectors(id),
  CONSTRAINT runs_accept_problem_check CHECK (length(accept_problem) <= 1000),
  CONSTRAINT runs_check CHECK ((status = ANY (ARRAY['success', 'failure', 'cancelled', 'timed_out', 'startup_timeout', 'discarded'])) = (completed_at IS NOT NULL)),
  CONSTRAINT runs_check1 CHECK ((status = 'assigned') = (assigned_expires_at IS NOT NULL)),
  CONSTRAINT runs_check2 CHECK ((status <> ALL (ARRAY['running', 'requested_cancellation', 'cancelling', 'success', 'timed_out'])) OR started_at IS NOT NULL),
  CONSTRAINT runs_check3 CHECK ((status <> ALL (ARRAY['pending', 'assigned', 'running'])) OR first_pending_at IS NOT NULL),
  CONSTRAINT runs_check4 CHECK ((status <> ALL (ARRAY['requested_cancellation', 'cancelling'])) OR cancel_requested_at IS NOT NULL),
  CONSTRAINT runs_check5 CHECK ((kind = 'apply_run') = (plan_run_id IS NOT NULL)),
  CONSTRAINT runs_check6 CHECK (cardinality(targets) = 0 OR cardinality(excludes) = 0),
  CONSTRAINT runs_check7 CHECK (started_at >= created_at),
  CONSTRAINT runs_check8 CHECK (completed_at >= COALESCE(started_at, created_at)),
  CONSTRAINT runs_kind_check CHECK (kind = ANY (ARRAY['plan_run', 'destroy_run', 'refresh_run', 'apply_run', 'raw_run'])),
  CONSTRAINT runs_state_token_hash_check CHECK (octet_length(state_token_hash) = 32),
  CONSTRAINT runs_status_check CHECK (status = ANY (ARRAY['queued', 'pending', 'assigned', 'running', 'requested_cancellation', 'cancelling', 'success', 'failure', 'cancelled', 'timed_out', 'startup_timeout', 'discarded']))
);
CREATE INDEX runs_by_deployment ON runs (deployment_id);
CREATE INDEX runs_by_group ON runs (assigned_group_id) WHERE assigned_group_id IS NOT NULL;
CREATE INDEX runs_by_runner ON runs (assigned_runner_id);
CREATE INDEX runs_claimable ON runs (selector_id, background, prioritized_at, first_pending_at, id) WHERE status = 'pending';
CREATE INDEX runs_held ON runs (org_id, assigned_group_id) WHERE status = ANY (ARRAY['assigned', 'running', 'requested_cancellation', 'cancelling']);
CREATE UNIQUE INDEX runs_one_apply_per_plan ON runs (plan_run_id) WHERE plan_run_id IS NOT NULL;
CREATE UNIQUE INDEX runs_one_live_per_deployment ON runs (deployment_id) WHERE status = ANY (ARRAY['queued', 'pending', 'assigned', 'running', 'requested_cancellation', 'cancelling']);
CREATE TRIGGER runs_transitions BEFORE INSERT OR UPDATE OF status ON runs FOR EACH ROW EXECUTE FUNCTION refuse_illegal_run();

CREATE TABLE schedule_makers (
  schedule_id uuid NOT NULL,
  kind text NOT NULL,
  maker_id text NOT NULL,
  CONSTRAINT schedule_makers_pkey PRIMARY KEY (schedule_id, kind, maker_id),
  CONSTRAINT schedule_makers_schedule_id_fkey FOREIGN KEY (schedule_id) REFERENCES schedules(id) ON DELETE CASCADE,
  CONSTRAINT schedule_makers_kind_check CHECK (kind = ANY (ARRAY['user', 'service_account'])),
  CONSTRAINT schedule_makers_maker_id_check CHECK (octet_length(maker_id) <= 2000)
);

CREATE TABLE schedule_occurrences (
  schedule_id uuid NOT NULL,
  occurs_at timestamp with time zone NOT NULL,
  stack_key uuid NOT NULL,
  org_id uuid NOT NULL,
  status text DEFAULT 'due' NOT NULL,
  reason text,
  error text,
  deployment_id uuid,
  tries integer DEFAULT 0 NOT NULL,
  due_at timestamp with time zone,
  CONSTRAINT schedule_occurrences_pkey PRIMARY KEY (schedule_id, occurs_at, stack_key),
  CONSTRAINT schedule_occurrences_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT schedule_occurrences_schedule_id_fkey FOREIGN KEY (schedule_id) REFERENCES schedules(id) ON DELETE CASCADE,
  CONSTRAINT schedule_occurrences_stack_key_fkey FOREIGN KEY (stack_key) REFERENCES stacks(stack_key) ON DELETE CASCADE,
  CONSTRAINT schedule_occurrences_check CHECK ((status = 'due') = (due_at IS NOT NULL)),
  CONSTRAINT schedule_occurrences_check1 CHECK ((status = 'created') = (deployment_id IS NOT NULL)),
  CONSTRAINT schedule_occurrences_status_check CHECK (status = ANY (ARRAY['due', 'created', 'skipped', 'failed']))
);
CREATE INDEX schedule_occurrences_due ON schedule_occurrences (org_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX schedule_occurrences_of_stack ON schedule_occurrences (stack_key, schedule_id, occurs_at DESC);
CREATE TRIGGER schedule_occurrences_maker AFTER INSERT OR UPDATE OF deployment_id ON schedule_occurrences FOR EACH ROW WHEN (new.deployment_id IS NOT NULL) EXECUTE FUNCTION remember_schedule_maker();

CREATE TABLE schedules (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  stack_key uuid,
  selector jsonb,
  name text NOT NULL,
  mode text NOT NULL,
  script bytea,
  command_bytes integer,
  once_at timestamp with time zone,
  cron text,
  time_zone text DEFAULT 'UTC' NOT NULL,
  paused boolean DEFAULT false NOT NULL,
  next_at timestamp with time zone,
  created_by text,
  created_by_kind text,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  updated_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT schedules_pkey PRIMARY KEY (id),
  CONSTRAINT schedules_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT schedules_stack_key_fkey FOREIGN KEY (stack_key) REFERENCES stacks(stack_key) ON DELETE CASCADE,
  CONSTRAINT schedules_check CHECK (num_nonnulls(stack_key, selector) = 1),
  CONSTRAINT schedules_check1 CHECK (num_nonnulls(once_at, cron) = 1),
  CONSTRAINT schedules_check2 CHECK ((mode = 'raw') = (script IS NOT NULL) AND (mode = 'raw') = (command_bytes IS NOT NULL)),
  CONSTRAINT schedules_mode_check CHECK (mode = ANY (ARRAY['plan', 'refresh', 'destroy', 'raw'])),
  CONSTRAINT schedules_name_check CHECK (length(name) >= 1 AND length(name) <= 100)
);
CREATE INDEX schedules_by_org ON schedules (org_id, name, id);
CREATE INDEX schedules_due ON schedules (org_id, next_at) WHERE next_at IS NOT NULL;
CREATE UNIQUE INDEX schedules_of_selector ON schedules (org_id, name) WHERE stack_key IS NULL;
CREATE UNIQUE INDEX schedules_of_stack ON schedules (stack_key, name) WHERE stack_key IS NOT NULL;
CREATE TRIGGER schedules_maker AFTER INSERT ON schedules FOR EACH ROW WHEN (new.created_by IS NOT NULL AND (new.created_by_kind = ANY (ARRAY['user', 'service_account']))) EXECUTE FUNCTION remember_who_made_a_schedule();

CREATE TABLE scm_branches (
  org_id uuid NOT NULL,
  repository_key text NOT NULL,
  branch text NOT NULL,
  asked bigint DEFAULT 0 NOT NULL,
  CONSTRAINT scm_branches_pkey PRIMARY KEY (org_id, repository_key, branch),
  CONSTRAINT scm_branches_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT scm_branches_branch_check CHECK (octet_length(branch) <= 765) NOT VALID,
  CONSTRAINT scm_branches_repository_key_check CHECK (octet_length(repository_key) <= 1000) NOT VALID
);

CREATE TABLE scm_events (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  integration_id uuid NOT NULL,
  external_event_id text NOT NULL,
  kind text NOT NULL,
  repository_key text NOT NULL,
  branch text NOT NULL,
  pr_number integer,
  before_sha text,
  after_sha text,
  status text DEFAULT 'pending' NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  last_error text,
  due_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  processed_at timestamp with time zone,
  branch_key text DEFAULT '' NOT NULL,
  sender text,
  CONSTRAINT scm_events_pkey PRIMARY KEY (id),
  CONSTRAINT scm_events_integration_id_external_event_id_key UNIQUE (integration_id, external_event_id),
  CONSTRAINT scm_events_after_sha_check CHECK (octet_length(after_sha) <= 64),
  CONSTRAINT scm_events_branch_check CHECK (octet_length(branch) <= 765) NOT VALID,
  CONSTRAINT scm_events_branch_key_check CHECK (octet_length(branch_key) <= 200) NOT VALID,
  CONSTRAINT scm_events_check CHECK ((status = ANY (ARRAY['processed', 'dead'])) = (processed_at IS NOT NULL)),
  CONSTRAINT scm_events_external_event_id_check CHECK (length(external_event_id) >= 1 AND length(external_event_id) <= 300),
  CONSTRAINT scm_events_kind_check CHECK (kind = ANY (ARRAY['push_branch_changed', 'pr_changed', 'pr_closed', 'pr_refresh_requested'])),
  CONSTRAINT scm_events_repository_key_check CHECK (octet_length(repository_key) <= 1000) NOT VALID,
  CONSTRAINT scm_events_sender_check CHECK (octet_length(sender) <= 1020),
  CONSTRAINT scm_events_status_check CHECK (status = ANY (ARRAY['pending', 'failed', 'processed', 'dead']))
);
CREATE INDEX scm_events_by_integration ON scm_events (integration_id, created_at DESC, id DESC);
CREATE INDEX scm_events_ended ON scm_events (processed_at) WHERE processed_at IS NOT NULL;
CREATE INDEX scm_events_open_by_key ON scm_events (branch_key, id) WHERE status = ANY (ARRAY['pending', 'failed']);
CREATE INDEX scm_events_pushed ON scm_events (org_id, after_sha) WHERE kind = 'push_branch_changed' AND sender IS NOT NULL;
CREATE INDEX scm_events_refreshing ON scm_events (org_id, repository_key, branch, created_at) WHERE kind = 'pr_refresh_requested' AND (status = ANY (ARRAY['pending', 'failed']));

CREATE TABLE scm_integrations (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  name text NOT NULL,
  url_pattern text NOT NULL,
  priority integer DEFAULT 100 NOT NULL,
  api_base_url text,
  auth_config bytea,
  auth_config_summary jsonb DEFAULT '{}'::jsonb NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  updated_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  last_success_at timestamp with time zone,
  last_failure_at timestamp with time zone,
  last_failure text,
  host_names text[] DEFAULT '{}'::text[] NOT NULL,
  host_kind text DEFAULT 'github' NOT NULL,
  webhook_check jsonb,
  CONSTRAINT scm_integrations_pkey PRIMARY KEY (id),
  CONSTRAINT scm_integrations_org_id_name_key UNIQUE (org_id, name),
  CONSTRAINT scm_integrations_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT scm_integrations_host_kind_check CHECK (host_kind = ANY (ARRAY['github', 'gitea', 'gitlab'])),
  CONSTRAINT scm_integrations_name_check CHECK (length(name) >= 1 AND length(name) <= 100),
  CONSTRAINT scm_integrations_url_pattern_check CHECK (length(url_pattern) >= 1 AND length(url_pattern) <= 500)
);
CREATE INDEX scm_integrations_in_order ON scm_integrations (org_id, priority, id);
CREATE TRIGGER scm_integrations_events AFTER DELETE ON scm_integrations FOR EACH ROW EXECUTE FUNCTION remove_scm_events();

CREATE TABLE service_account_minters (
  service_account_id uuid NOT NULL,
  user_id text NOT NULL,
  org_id uuid NOT NULL,
  CONSTRAINT service_account_minters_pkey PRIMARY KEY (service_account_id, user_id),
  CONSTRAINT service_account_minters_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT service_account_minters_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX service_account_minters_by_user ON service_account_minters (user_id);
CREATE INDEX service_account_minters_of_org ON service_account_minters (org_id);

CREATE TABLE service_account_tokens (
  id uuid DEFAULT uuidv7() NOT NULL,
  service_account_id uuid NOT NULL,
  name text NOT NULL,
  token_sha256 bytea NOT NULL,
  created_by text,
  expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  permissions jsonb NOT NULL,
  minter_left_at timestamp with time zone,
  CONSTRAINT service_account_tokens_pkey PRIMARY KEY (id),
  CONSTRAINT service_account_tokens_token_sha256_key UNIQUE (token_sha256),
  CONSTRAINT service_account_tokens_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id) ON DELETE CASCADE,
  CONSTRAINT service_account_tokens_service_account_id_fkey FOREIGN KEY (service_account_id) REFERENCES service_accounts(id) ON DELETE CASCADE,
  CONSTRAINT service_account_tokens_token_sha256_check CHECK (length(token_sha256) = 32)
);
CREATE INDEX service_account_tokens_by_account ON service_account_tokens (service_account_id);
CREATE INDEX service_account_tokens_by_leaving ON service_account_tokens (minter_left_at) WHERE minter_left_at IS NOT NULL;
CREATE INDEX service_account_tokens_by_minter ON service_account_tokens (created_by);
CREATE TRIGGER service_account_tokens_ended AFTER DELETE ON service_account_tokens FOR EACH STATEMENT EXECUTE FUNCTION tell_access_changed();
CREATE TRIGGER service_account_tokens_minter AFTER INSERT ON service_account_tokens FOR EACH ROW EXECUTE FUNCTION remember_minter();

CREATE TABLE service_accounts (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  name text NOT NULL,
  disabled_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT service_accounts_pkey PRIMARY KEY (id),
  CONSTRAINT service_accounts_org_id_name_key UNIQUE (org_id, name),
  CONSTRAINT service_accounts_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT service_accounts_name_check CHECK (length(name) >= 1 AND length(name) <= 100)
);
CREATE TRIGGER service_accounts_ended AFTER DELETE OR UPDATE OF disabled_at ON service_accounts FOR EACH STATEMENT EXECUTE FUNCTION tell_access_changed();

CREATE TABLE sessions (
  id uuid DEFAULT uuidv7() NOT NULL,
  user_id text NOT NULL,
  token_sha256 bytea NOT NULL,
  csrf_sha256 bytea NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  identity_id uuid,
  CONSTRAINT sessions_pkey PRIMARY KEY (id),
  CONSTRAINT sessions_token_sha256_key UNIQUE (token_sha256),
  CONSTRAINT sessions_identity_id_fkey FOREIGN KEY (identity_id) REFERENCES user_identities(id) ON DELETE CASCADE,
  CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  CONSTRAINT sessions_csrf_sha256_check CHECK (length(csrf_sha256) = 32),
  CONSTRAINT sessions_token_sha256_check CHECK (length(token_sha256) = 32)
);
CREATE INDEX sessions_by_age ON sessions (expires_at);
CREATE INDEX sessions_by_identity ON sessions (identity_id);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE TRIGGER sessions_ended AFTER DELETE ON sessions FOR EACH STATEMENT EXECUTE FUNCTION tell_access_changed();

CREATE TABLE sign_in_confirmations (
  id uuid DEFAULT uuidv7() NOT NULL,
  session_id uuid NOT NULL,
  links boolean NOT NULL,
  identity_source_id uuid,
  answer bytea NOT NULL,
  return_to text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT sign_in_confirmations_pkey PRIMARY KEY (id),
  CONSTRAINT sign_in_confirmations_identity_source_id_fkey FOREIGN KEY (identity_source_id) REFERENCES identity_sources(id) ON DELETE CASCADE,
  CONSTRAINT sign_in_confirmations_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE
);
CREATE INDEX sign_in_confirmations_by_age ON sign_in_confirmations (expires_at);
CREATE INDEX sign_in_confirmations_by_session ON sign_in_confirmations (session_id);
CREATE INDEX sign_in_confirmations_by_source ON sign_in_confirmations (identity_source_id) WHERE identity_source_id IS NOT NULL;

CREATE TABLE stack_drift (
  stack_key uuid NOT NULL,
  org_id uuid NOT NULL,
  policy jsonb,
  effective jsonb,
  schedule_id uuid,
  stale boolean DEFAULT false NOT NULL,
  status text DEFAULT 'unknown' NOT NULL,
  since timestamp with time zone DEFAULT svc_now() NOT NULL,
  checked_at timestamp with time zone,
  checked_id uuid,
  error text,
  resources jsonb DEFAULT '[]'::jsonb NOT NULL,
  total integer DEFAULT 0 NOT NULL,
  ignored integer DEFAULT 0 NOT NULL,
  told text,
  check_id uuid,
  check_phase text,
  due_at timestamp with time zone,
  asked boolean DEFAULT false NOT NULL,
  spread_ms double precision,
  duration_ms double precision,
  put_off text,
  put_off_times integer DEFAULT 0 NOT NULL,
  reconciled text,
  reconcile_id uuid,
  reconcile_due boolean DEFAULT false NOT NULL,
  CONSTRAINT stack_drift_pkey PRIMARY KEY (stack_key),
  CONSTRAINT stack_drift_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT stack_drift_schedule_id_fkey FOREIGN KEY (schedule_id) REFERENCES drift_schedules(id) ON DELETE SET NULL,
  CONSTRAINT stack_drift_stack_key_fkey FOREIGN KEY (stack_key) REFERENCES stacks(stack_key) ON DELETE CASCADE,
  CONSTRAINT stack_drift_check CHECK ((check_id IS NULL) = (check_phase IS NULL)),
  CONSTRAINT stack_drift_check_phase_check CHECK (check_phase = ANY (ARRAY['running', 'ended'])),
  CONSTRAINT stack_drift_status_check CHECK (status = ANY (ARRAY['none', 'drifted', 'unknown', 'failed']))
);
CREATE INDEX stack_drift_by_schedule ON stack_drift (schedule_id) WHERE schedule_id IS NOT NULL;
CREATE INDEX stack_drift_by_status ON stack_drift (org_id, status, since DESC, stack_key DESC);
CREATE INDEX stack_drift_due ON stack_drift (org_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX stack_drift_open ON stack_drift (org_id) WHERE stale OR reconcile_due OR check_phase IS NOT NULL;

CREATE TABLE stack_lifetimes (
  stack_key uuid NOT NULL,
  org_id uuid NOT NULL,
  remind_ms double precision NOT NULL,
  reason text NOT NULL,
  set_by text NOT NULL,
  set_by_kind text NOT NULL,
  set_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  phase text DEFAULT 'alive' NOT NULL,
  reminded_at timestamp with time zone,
  destroy_id uuid,
  error text,
  put_off text,
  put_off_times integer DEFAULT 0 NOT NULL,
  due_at timestamp with time zone,
  CONSTRAINT stack_lifetimes_pkey PRIMARY KEY (stack_key),
  CONSTRAINT stack_lifetimes_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT stack_lifetimes_stack_key_fkey FOREIGN KEY (stack_key) REFERENCES stacks(stack_key) ON DELETE CASCADE,
  CONSTRAINT stack_lifetimes_phase_check CHECK (phase = ANY (ARRAY['alive', 'destroying', 'failed'])),
  CONSTRAINT stack_lifetimes_remind_ms_check CHECK (remind_ms >= 0::double precision)
);
CREATE INDEX stack_lifetimes_due ON stack_lifetimes (org_id, due_at) WHERE due_at IS NOT NULL;
CREATE TRIGGER stack_lifetimes_maker AFTER INSERT OR UPDATE OF set_by, destroy_id ON stack_lifetimes FOR EACH ROW EXECUTE FUNCTION remember_lifetime_maker();

CREATE TABLE stack_outputs (
  run_id uuid NOT NULL,
  org_id uuid NOT NULL,
  stack_key uuid NOT NULL,
  sealed bytea,
  changed text[],
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT stack_outputs_pkey PRIMARY KEY (run_id),
  CONSTRAINT stack_outputs_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT stack_outputs_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE,
  CONSTRAINT stack_outputs_stack_key_fkey FOREIGN KEY (stack_key) REFERENCES stacks(stack_key) ON DELETE CASCADE
);
CREATE INDEX stack_outputs_of_org ON stack_outputs (org_id);
CREATE INDEX stack_outputs_of_stack ON stack_outputs (stack_key, created_at DESC);

CREATE TABLE stack_resource_identities (
  stack_key uuid NOT NULL,
  address text COLLATE "C" NOT NULL,
  org_id uuid NOT NULL,
  mode text NOT NULL,
  identity_hash bytea NOT NULL,
  CONSTRAINT stack_resource_identities_pkey PRIMARY KEY (stack_key, address),
  CONSTRAINT stack_resource_identities_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT stack_resource_identities_stack_key_fkey FOREIGN KEY (stack_key) REFERENCES stacks(stack_key) ON DELETE CASCADE,
  CONSTRAINT stack_resource_identities_address_check CHECK (octet_length(address) >= 1 AND octet_length(address) <= 1024),
  CONSTRAINT stack_resource_identities_identity_hash_check CHECK (length(identity_hash) <= 1000) NOT VALID,
  CONSTRAINT stack_resource_identities_mode_check CHECK (mode = ANY (ARRAY['managed', 'data']))
);
CREATE INDEX stack_resource_identities_by_identity ON stack_resource_identities (org_id, identity_hash, mode, stack_key);

CREATE TABLE stack_states (
  stack_key uuid NOT NULL,
  org_id uuid NOT NULL,
  version_id uuid,
  last_number bigint DEFAULT 0 NOT NULL,
  lock_id text,
  lock_info jsonb,
  locked_at timestamp with time zone,
  lock_run_id uuid,
  locked_by text,
  locked_by_kind text,
  CONSTRAINT stack_states_pkey PRIMARY KEY (stack_key),
  CONSTRAINT stack_states_lock_run_id_fkey FOREIGN KEY (lock_run_id) REFERENCES runs(id) ON DELETE CASCADE,
  CONSTRAINT stack_states_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT stack_states_stack_key_fkey FOREIGN KEY (stack_key) REFERENCES stacks(stack_key) ON DELETE CASCADE,
  CONSTRAINT stack_states_version_id_fkey FOREIGN KEY (version_id) REFERENCES state_versions(id),
  CONSTRAINT stack_states_check CHECK (num_nonnulls(lock_id, lock_info, locked_at) = ANY (ARRAY[0, 3])),
  CONSTRAINT stack_states_check1 CHECK ((locked_by IS NULL) = (locked_by_kind IS NULL)),
  CONSTRAINT stack_states_check2 CHECK (lock_id IS NULL OR num_nonnulls(lock_run_id, locked_by) = 1),
  CONSTRAINT stack_states_check3 CHECK (lock_id IS NOT NULL OR num_nonnulls(lock_run_id, locked_by) = 0),
  CONSTRAINT stack_states_locked_by_kind_check CHECK (locked_by_kind = ANY (ARRAY['user', 'service_account']))
);
CREATE INDEX stack_states_lock_run ON stack_states (lock_run_id) WHERE lock_run_id IS NOT NULL;
CREATE INDEX stack_states_of_org ON stack_states (org_id);
CREATE INDEX stack_states_version ON stack_states (version_id) WHERE version_id IS NOT NULL;

CREATE TABLE stacks (
  stack_key uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  slug text NOT NULL,
  name text NOT NULL,
  repository_url text NOT NULL,
  branch text NOT NULL,
  working_directory text DEFAULT '.' NOT NULL,
  tool text DEFAULT 'terraform' NOT NULL,
  tool_version text,
  labels jsonb DEFAULT '{}'::jsonb NOT NULL,
  authz_groups text[] DEFAULT '{}'::text[] NOT NULL,
  pr_plan_mode text DEFAULT 'manual' NOT NULL,
  auto_approve_mode text DEFAULT 'manual' NOT NULL,
  deploy_on_push boolean DEFAULT true NOT NULL,
  queued_timeout_ms bigint,
  confirmation_timeout_ms bigint,
  supersede_age_ms bigint,
  max_run_duration_ms bigint,
  held_at timestamp with time zone,
  held_by text,
  hold_reason text,
  latest_deployment_id uuid,
  latest_deployment_status text,
  latest_deployment_mode text,
  latest_deployment_commit_sha text,
  latest_deployment_created_at timestamp with time zone,
  latest_deployment_completed_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  updated_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  deleted_at timestamp with time zone,
  repository_key text DEFAULT '' NOT NULL,
  last_compared_commit text,
  fork_previews boolean DEFAULT false NOT NULL,
  pr_requirements jsonb DEFAULT '{}'::jsonb NOT NULL,
  preview_runner_labels jsonb,
  fork_runner_labels jsonb,
  state_mode text DEFAULT 'auto' NOT NULL,
  expires_at timestamp with time zone,
  hooks jsonb DEFAULT '{}'::jsonb NOT NULL,
  CONSTRAINT stacks_pkey PRIMARY KEY (stack_key),
  CONSTRAINT stacks_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT stacks_auto_approve_mode_check CHECK (auto_approve_mode = ANY (ARRAY['manual', 'auto', 'non_destructive'])),
  CONSTRAINT stacks_branch_check CHECK (octet_length(branch) <= 765) NOT VALID,
  CONSTRAINT stacks_confirmation_timeout_ms_check CHECK (confirmation_timeout_ms > 0),
  CONSTRAINT stacks_fork_runner_labels_check CHECK (jsonb_typeof(fork_runner_labels) = 'object'),
  CONSTRAINT stacks_labels_check CHECK (jsonb_typeof(labels) = 'object'),
  CONSTRAINT stacks_max_run_duration_ms_check CHECK (max_run_duration_ms > 0),
  CONSTRAINT stacks_name_check CHECK (length(name) >= 1 AND length(name) <= 100),
  CONSTRAINT stacks_pr_plan_mode_check CHECK (pr_plan_mode = ANY (ARRAY['manual', 'auto'])),
  CONSTRAINT stacks_pr_requirements_check CHECK (jsonb_typeof(pr_requirements) = 'object'),
  CONSTRAINT stacks_preview_runner_labels_check CHECK (jsonb_typeof(preview_runner_labels) = 'object'),
  CONSTRAINT stacks_queued_timeout_ms_check CHECK (queued_timeout_ms > 0),
  CONSTRAINT stacks_repository_key_check CHECK (octet_length(repository_key) <= 1000) NOT VALID,
  CONSTRAINT stacks_slug_check CHECK (slug ~ '^[a-z0-9._-]{1,100}$'),
  CONSTRAINT stacks_state_mode_check CHECK (state_mode = ANY (ARRAY['auto', 'hosted', 'own'])),
  CONSTRAINT stacks_supersede_age_ms_check CHECK (supersede_age_ms > 0),
  CONSTRAINT stacks_tool_check CHECK (tool = ANY (ARRAY['terraform', 'tofu']))
);
CREATE INDEX stacks_by_created ON stacks (org_id, created_at, stack_key) WHERE deleted_at IS NULL;
CREATE INDEX stacks_by_latest_completed ON stacks (org_id, COALESCE(latest_deployment_completed_at, '-infinity'::timestamp with time zone), stack_key) WHERE deleted_at IS NULL;
CREATE INDEX stacks_by_latest_deployment ON stacks (org_id, COALESCE(latest_deployment_created_at, '-infinity'::timestamp with time zone), stack_key) WHERE deleted_at IS NULL;
CREATE INDEX stacks_by_name ON stacks (org_id, name, stack_key) WHERE deleted_at IS NULL;
CREATE INDEX stacks_by_repository ON stacks (org_id, repository_key, branch) WHERE deleted_at IS NULL;
CREATE INDEX stacks_by_updated ON stacks (org_id, updated_at, stack_key) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX stacks_live_slug ON stacks (org_id, slug) WHERE deleted_at IS NULL;
CREATE TRIGGER stacks_access_changed AFTER UPDATE OF name, authz_groups, deleted_at ON stacks FOR EACH STATEMENT EXECUTE FUNCTION tell_access_changed();
CREATE TRIGGER stacks_dependencies_added AFTER INSERT ON stacks REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION raise_dependency_version();
CREATE TRIGGER stacks_dependencies_changed AFTER UPDATE ON stacks FOR EACH ROW WHEN (old.slug IS DISTINCT FROM new.slug OR old.deleted_at IS DISTINCT FROM new.deleted_at) EXECUTE FUNCTION raise_dependency_version_of_stack();
CREATE TRIGGER stacks_drift_added AFTER INSERT ON stacks FOR EACH ROW EXECUTE FUNCTION drift_of_stack();
CREATE TRIGGER stacks_drift_changed AFTER UPDATE OF labels, deleted_at ON stacks FOR EACH ROW WHEN (old.labels IS DISTINCT FROM new.labels OR old.deleted_at IS DISTINCT FROM new.deleted_at) EXECUTE FUNCTION drift_of_stack();
CREATE TRIGGER stacks_forget_outputs AFTER UPDATE OF deleted_at ON stacks FOR EACH ROW WHEN (old.deleted_at IS NULL AND new.deleted_at IS NOT NULL) EXECUTE FUNCTION forget_outputs();

CREATE TABLE stages (
  id uuid DEFAULT uuidv7() NOT NULL,
  deployment_id uuid NOT NULL,
  "position" integer NOT NULL,
  kind text NOT NULL,
  phase text NOT NULL,
  run_id uuid,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  completed_at timestamp with time zone,
  CONSTRAINT stages_pkey PRIMARY KEY (id),
  CONSTRAINT stages_deployment_id_position_key UNIQUE (deployment_id, "position"),
  CONSTRAINT stages_run_id_key UNIQUE (run_id),
  CONSTRAINT stages_deployment_id_fkey FOREIGN KEY (deployment_id) REFERENCES deployments(id) ON DELETE CASCADE,
  CONSTRAINT stages_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id),
  CONSTRAINT stages_check CHECK ((kind = 'confirmation') = (run_id IS NULL)),
  CONSTRAINT stages_check1 CHECK ((phase = ANY (ARRAY['done', 'failed', 'cancelled', 'skipped'])) = (completed_at IS NOT NULL)),
  CONSTRAINT stages_kind_check CHECK (kind = ANY (ARRAY['plan_run', 'apply_run', 'destroy_run', 'refresh_run', 'raw_run', 'confirmation'])),
  CONSTRAINT stages_phase_check CHECK (phase = ANY (ARRAY['waiting', 'running', 'requested_cancellation', 'cancelling', 'done', 'failed', 'cancelled', 'skipped']))
);
CREATE UNIQUE INDEX stages_one_open ON stages (deployment_id) WHERE phase = ANY (ARRAY['running', 'requested_cancellation', 'cancelling']);

CREATE TABLE state_versions (
  id uuid DEFAULT uuidv7() NOT NULL,
  org_id uuid NOT NULL,
  stack_key uuid NOT NULL,
  object_key text NOT NULL,
  key_id text,
  origin text NOT NULL,
  run_id uuid,
  created_by text,
  created_by_kind text,
  restores bigint,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  number bigint,
  serial bigint,
  lineage text,
  engine_version text,
  resources bigint,
  size bigint,
  sha256 text,
  beyond_last boolean DEFAULT false NOT NULL,
  removed_at timestamp with time zone,
  CONSTRAINT state_versions_pkey PRIMARY KEY (id),
  CONSTRAINT state_versions_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id) ON DELETE CASCADE,
  CONSTRAINT state_versions_stack_key_fkey FOREIGN KEY (stack_key) REFERENCES stacks(stack_key) ON DELETE CASCADE,
  CONSTRAINT state_versions_check CHECK (num_nonnulls(number, serial, lineage, size, sha256) = ANY (ARRAY[0, 5])),
  CONSTRAINT state_versions_check1 CHECK ((created_by IS NULL) = (created_by_kind IS NULL)),
  CONSTRAINT state_versions_check2 CHECK ((origin = 'run') = (run_id IS NOT NULL)),
  CONSTRAINT state_versions_created_by_kind_check CHECK (created_by_kind = ANY (ARRAY['user', 'service_account'])),
  CONSTRAINT state_versions_origin_check CHECK (origin = ANY (ARRAY['run', 'push', 'rollback'])),
  CONSTRAINT state_versions_sha256_check CHECK (sha256 ~ '^[0-9a-f]{64}$')
);
CREATE INDEX state_versions_beyond_last ON state_versions (created_at) WHERE beyond_last;
CREATE UNIQUE INDEX state_versions_by_number ON state_versions (stack_key, number) WHERE number IS NOT NULL;
CREATE INDEX state_versions_going ON state_versions (id) WHERE removed_at IS NOT NULL;
CREATE INDEX state_versions_of_org ON state_versions (org_id);
CREATE INDEX state_versions_of_stack ON state_versions (stack_key);
CREATE INDEX state_versions_unfinished ON state_versions (created_at) WHERE number IS NULL;

CREATE TABLE temporal_identity (
  singleton boolean DEFAULT true NOT NULL,
  cluster_id text NOT NULL,
  namespace_id text NOT NULL,
  seen_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT temporal_identity_pkey PRIMARY KEY (singleton),
  CONSTRAINT temporal_identity_singleton_check CHECK (singleton)
);

CREATE TABLE used_sign_in_codes (
  code_sha256 bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT used_sign_in_codes_pkey PRIMARY KEY (code_sha256),
  CONSTRAINT used_sign_in_codes_code_sha256_check CHECK (length(code_sha256) = 32)
);
CREATE INDEX used_sign_in_codes_by_age ON used_sign_in_codes (expires_at);

CREATE TABLE user_identities (
  provider_key text NOT NULL,
  issuer text NOT NULL,
  subject text NOT NULL,
  user_id text NOT NULL,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  last_login_at timestamp with time zone,
  id uuid DEFAULT uuidv7() NOT NULL,
  login text,
  CONSTRAINT user_identities_pkey PRIMARY KEY (provider_key, issuer, subject),
  CONSTRAINT user_identities_id_key UNIQUE (id),
  CONSTRAINT user_identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  CONSTRAINT user_identities_issuer_check CHECK (octet_length(issuer) <= 1500) NOT VALID,
  CONSTRAINT user_identities_provider_key_check CHECK (provider_key = ANY (ARRAY['codehost', 'workspace', 'oidc'])),
  CONSTRAINT user_identities_subject_check CHECK (octet_length(subject) <= 960) NOT VALID
);
CREATE INDEX user_identities_by_user ON user_identities (user_id);
CREATE TRIGGER user_identities_names AFTER INSERT OR UPDATE OF login, user_id ON user_identities FOR EACH ROW EXECUTE FUNCTION remember_identity_name();

CREATE TABLE users (
  id text NOT NULL,
  provider_key text NOT NULL,
  issuer text NOT NULL,
  subject text NOT NULL,
  login text NOT NULL,
  display_name text,
  is_super_admin boolean DEFAULT false NOT NULL,
  disabled_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT svc_now() NOT NULL,
  CONSTRAINT users_pkey PRIMARY KEY (id),
  CONSTRAINT users_provider_key_issuer_subject_key UNIQUE (provider_key, issuer, subject),
  CONSTRAINT users_id_check CHECK (octet_length(id) <= 2000) NOT VALID,
  CONSTRAINT users_issuer_check CHECK (octet_length(issuer) <= 1500) NOT VALID,
  CONSTRAINT users_login_check CHECK (octet_length(login) <= 960) NOT VALID,
  CONSTRAINT users_provider_key_check CHECK (octet_length(provider_key) <= 100) NOT VALID,
  CONSTRAINT users_subject_check CHECK (octet_length(subject) <= 960) NOT VALID
);
CREATE INDEX users_by_login ON users (lower(login) COLLATE "C");
CREATE INDEX users_disabled ON users (created_at DESC, id DESC) WHERE disabled_at IS NOT NULL;
CREATE INDEX users_newest ON users (created_at DESC, id DESC);
CREATE INDEX users_super_admins ON users (created_at DESC, id DESC) WHERE is_super_admin;
CREATE TRIGGER users_ended AFTER UPDATE OF disabled_at, is_super_admin ON users FOR EACH STATEMENT EXECUTE FUNCTION tell_access_changed();
CREATE TRIGGER users_names AFTER INSERT OR UPDATE OF login, display_name ON users FOR EACH ROW EXECUTE FUNCTION remember_user_names();

CREATE OR REPLACE FUNCTION public.approval_limits(d deployments)
 RETURNS TABLE(deadline_ms bigint, remind_ms bigint)
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  if d.status <> 'waiting' or d.mode = 'plan_unlocked' or not exists (
    select from approval_rules r where r.org_id = d.org_id and (r.deadline_ms is not null or r.remind_ms is not null)) then
    return;
  end if;
  return query select min((a ->> 'deadline_ms')::bigint), min((a ->> 'remind_ms')::bigint)
    from jsonb_array_elements(missing_approvals(d) -> 'missing') a;
end $function$;

CREATE OR REPLACE FUNCTION public.approvals_of(d deployments, p_plan uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  if not has_approvals(d) then
    return null;
  end if;
  return (
    with review as materialized (select * from standing_reviews(d, p_plan)), asked as materialized (select * from asked_approvals(d, p_plan)),
    given as (
      select a.id as asked_id, v.reviewer_kind, v.reviewer_id from asked a join review v
        on v.verdict = 'approve' and not v.own and counts_for(v.reviewer_kind, v.reviewer_id, d.org_id, a.approvers)
    )
    select jsonb_build_object(
      'required', (
        select coalesce(jsonb_agg(jsonb_build_object('source', a.source, 'id', a.id, 'name', a.name, 'reason', a.reason, 'count', a.count,
          'destructive', a.destructive, 'deadline_ms', a.deadline_ms, 'remind_ms', a.remind_ms, 'from', approver_names(d.org_id, a.approvers),
          'given', (
            select coalesce(jsonb_agg(jsonb_build_object('kind', g.reviewer_kind, 'id', g.reviewer_id) order by g.reviewer_kind, g.reviewer_id), '[]')
            from given g where g.asked_id = a.id and not (g.reviewer_kind = 'service_account' and exists (
              select from given u where u.asked_id = a.id and (u.reviewer_kind = 'user' or u.reviewer_id < g.reviewer_id)
                and may_be_one(g.reviewer_kind, g.reviewer_id, u.reviewer_kind, u.reviewer_id))))
        ) order by a.since, a.id), '[]') from asked a),
      'rejections', (
        select coalesce(jsonb_agg(jsonb_build_object('kind', v.reviewer_kind, 'id', v.reviewer_id) order by v.reviewer_kind, v.reviewer_id), '[]')
        from review v where v.verdict = 'reject' and (v.reviewer_kind = 'user'
          or exists (select from asked a where counts_for(v.reviewer_kind, v.reviewer_id, d.org_id, a.approvers)))),
      'makers', (select coalesce(jsonb_agg(jsonb_build_object('kind', c.kind, 'id', c.id)), '[]') from change_makers(d) c)));
end $function$;

CREATE OR REPLACE FUNCTION public.approver_names(p_org uuid, approvers jsonb)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(jsonb_agg(n.name order by n.place, n.name), '[]') from (
    select 1 as place, 'role ' || coalesce((select r.name from roles r where r.id::text = t.id and (r.org_id is null or r.org_id = p_org)), t.id || ' (deleted)') as name
    from jsonb_array_elements_text(approvers -> 'roles') as t (id)
    union all
    select 2, 'group ' || g.group_key from jsonb_to_recordset(approvers -> 'groups') as g (identity_source_id uuid, group_key text)
    union all
    select 3, 'service account ' || coalesce((select a.name from service_accounts a where a.id::text = t.id and a.org_id = p_org), t.id || ' (deleted)')
    from jsonb_array_elements_text(approvers -> 'service_accounts') as t (id)
    union all
    select 4, t.name || ' (unknown)' from jsonb_array_elements_text(coalesce(approvers -> 'unknown', '[]')) as t (name)
  ) n
$function$;

CREATE OR REPLACE FUNCTION public.artifact_bytes_beside(run uuid, artifact_kind text)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
begin
  return (select coalesce(sum(size), 0)::bigint from artifacts where run_id = run and kind <> artifact_kind);
end $function$;

CREATE OR REPLACE FUNCTION public.asked_approvals(d deployments, p_plan uuid)
 RETURNS TABLE(source text, id uuid, name text, reason text, count integer, approvers jsonb, destructive boolean, deadline_ms bigint, remind_ms bigint, since timestamp with time zone)
 LANGUAGE sql
 STABLE
AS $function$
  select 'rule', r.id, r.name, null, r.count, r.approvers, r.destructive, r.deadline_ms, r.remind_ms, r.created_at
  from approval_rules r join stacks s on s.stack_key = d.stack_key
  where r.org_id = d.org_id and s.labels @> r.selector
    and (d.mode = any(r.modes) or r.previews and d.mode = 'plan_unlocked' and d.status = 'waiting')
  union all
  select q.source, q.id, q.name, q.reason, q.count, q.approvers, false, null, null, q.created_at
  from approval_requirements q where q.deployment_id = d.id and q.plan_run_id is not distinct from p_plan
$function$;

CREATE OR REPLACE FUNCTION public.awaits_approval_by(d deployments, p_kind text, p_id text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  v_missing jsonb := missing_approvals(d) -> 'missing';
begin
  return v_missing is not null
    and may_review(p_kind, p_id, (select s from stacks s where s.stack_key = d.stack_key))
    and not exists (select from change_makers(d) c where c.kind = p_kind and c.id = p_id)
    and exists (
      select from jsonb_array_elements(v_missing) m join asked_approvals(d, waiting_plan(d.id)) a on a.id::text = m ->> 'id'
      where counts_for(p_kind, p_id, d.org_id, a.approvers)
        and not exists (select from jsonb_array_elements(m -> 'given') g where may_be_one(p_kind, p_id, g ->> 'kind', g ->> 'id')));
end $function$;

CREATE OR REPLACE FUNCTION public.change_makers(d deployments)
 RETURNS TABLE(kind text, id text)
 LANGUAGE sql
 STABLE
AS $function$
  with direct as (
    select m.kind, m.id from made_by(d) m
  ), persons as (
    select x.id from direct x where x.kind = 'user'
    union
    select m.user_id from direct x join service_account_minters m on m.service_account_id::text = x.id
    where x.kind = 'service_account'
  )
  select 'user', p.id from persons p
  union
  select 'service_account', x.id from direct x where x.kind = 'service_account'
  union
  select 'service_account', m.service_account_id::text from persons p join service_account_minters m on m.user_id = p.id
$function$;

CREATE OR REPLACE FUNCTION public.clear_throttle()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update dispatch_orgs o set throttled_until = null, refilled_at = t.now,
    tokens = case when o.tokens is not null then tokens_at(o.tokens, o.refilled_at, old.runs_per_hour_limit, t.now) end
  from (select svc_now() as now) t where o.org_id = new.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.counts_for(p_kind text, p_id text, p_org uuid, approvers jsonb)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select case when p_kind = 'service_account' then
    approvers -> 'service_accounts' ? p_id and exists (
      select from service_accounts a where a.id::text = p_id and a.org_id = p_org and a.disabled_at is null)
  else exists (
    select from users u join memberships m on m.user_id = u.id and m.org_id = p_org
    where u.id = p_id and u.disabled_at is null and (m.expires_at is null or m.expires_at > svc_now()) and (
      approvers = '{"roles": [], "groups": [], "service_accounts": []}'
      or exists (select from roles_held('user', u.id, p_org) h where approvers -> 'roles' ? h.role_id::text)
      or exists (
        select from jsonb_to_recordset(approvers -> 'groups') as g (identity_source_id uuid, group_key text)
        join identity_sources s on s.id = g.identity_source_id and s.org_id = p_org and s.enabled
        join external_entitlements e on e.user_id = u.id and e.group_key = g.group_key and e.expires_at > svc_now()
          and e.provider_key = s.provider_key and e.issuer = s.oidc_issuer and e.client_id = s.oidc_client_id
          and e.groups_claim = s.oidc_groups_claim)))
  end
$function$;

CREATE OR REPLACE FUNCTION public.deadlines(d deployments, t jsonb)
 RETURNS TABLE(reason text, due_at timestamp with time zone)
 LANGUAGE sql
 STABLE
AS $function$
  select 'queued_timeout', d.created_at + s.queued_timeout_ms * interval '1 millisecond'
    from stacks s where s.stack_key = d.stack_key and d.status = 'queued' and s.queued_timeout_ms is not null
  union all
  select 'confirmation_timeout', d.waiting_since + s.confirmation_timeout_ms * interval '1 millisecond'
    from stacks s where s.stack_key = d.stack_key and d.status = 'waiting' and s.confirmation_timeout_ms is not null
  union all
  select 'superseded', d.created_at + s.supersede_age_ms * interval '1 millisecond'
    from stacks s where s.stack_key = d.stack_key and d.status in ('queued', 'waiting') and d.mode = 'plan'
      and s.supersede_age_ms is not null and exists (select 1 from deployments n
        where n.stack_key = d.stack_key and n.mode = 'plan' and (n.created_at, n.id) > (d.created_at, d.id))
  union all
  select l.reason, l.due_at from approval_limits(d) a cross join lateral (values
      ('approval_timeout', d.waiting_since + a.deadline_ms * interval '1 millisecond'),
      ('approval_reminder', greatest(d.waiting_since, d.reminded_at) + a.remind_ms * interval '1 millisecond')
    ) l (reason, due_at) where d.status = 'waiting' and l.due_at is not null
  union all
  select 'startup', greatest(r.first_pending_at + (t ->> 'startupDeadlineMs')::bigint * interval '1 millisecond', r.assigned_expires_at)
    from runs r where r.deployment_id = d.id and r.status in ('pending', 'assigned')
  union all
  select g.gate, g.due_at from deployment_gates g
    where g.deployment_id = d.id and d.status = 'waiting' and g.due_at is not null
$function$;

CREATE OR REPLACE FUNCTION public.deadlines(r runs, t jsonb)
 RETURNS TABLE(reason text, due_at timestamp with time zone)
 LANGUAGE sql
 STABLE
AS $function$
  select 'lease', r.assigned_expires_at where r.status = 'assigned'
  union all
  select 'max_run_duration', r.started_at + coalesce(
      (select s.max_run_duration_ms from deployments d join stacks s using (stack_key) where d.id = r.deployment_id),
      (t ->> 'maxRunDurationMs')::bigint) * interval '1 millisecond'
    where r.status in ('running', 'requested_cancellation', 'cancelling')
  union all
  select 'inactive', coalesce((select l.last_seen_at from run_liveness l where l.run_id = r.id), r.started_at)
      + (t ->> 'executionMs')::bigint * interval '1 millisecond'
    where r.status = 'running'
  union all
  select 'silent_cancellation', greatest(r.cancel_requested_at, (select l.last_seen_at from run_liveness l where l.run_id = r.id))
      + (t ->> 'cancellationMs')::bigint * interval '1 millisecond'
    where r.status in ('requested_cancellation', 'cancelling')
$function$;

CREATE OR REPLACE FUNCTION public.dependency_graph(org uuid, max_edges integer, max_pairs integer)
 RETURNS TABLE(edges integer, pairs integer, keys bytea, stack_pairs bytea)
 LANGUAGE sql
 STABLE
 SET enable_nestloop TO 'off'
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.drift_after_end()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.mode = 'drift' then
    update stack_drift set check_phase = 'ended' where stack_key = new.stack_key and check_id = new.id;
  else
    update stack_drift set due_at = svc_now(), put_off = null, put_off_times = 0
    where stack_key = new.stack_key and status = 'drifted' and effective is not null;
  end if;
  if found then
    perform tell_drift(new.org_id);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.drift_of_stack()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.deleted_at is not null then
    update stack_drift set due_at = null, asked = false, stale = false, effective = null, schedule_id = null, reconcile_due = false
    where stack_key = new.stack_key;
    return null;
  end if;
  if not exists (select from drift_schedules where org_id = new.org_id) then
    return null;
  end if;
  insert into stack_drift (stack_key, org_id, stale) values (new.stack_key, new.org_id, true)
  on conflict (stack_key) do update set stale = true;
  perform tell_drift(new.org_id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.ensure_selector(p_org uuid, p_labels jsonb)
 RETURNS uuid
 LANGUAGE plpgsql
AS $function$
declare
  v_id uuid;
begin
  select id into v_id from runner_selectors where org_id = p_org and sha256_of(labels::text) = sha256_of(p_labels::text);
  if found then
    return v_id;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('selectors:' || p_org, 0));
  insert into runner_selectors (org_id, labels) values (p_org, p_labels) on conflict do nothing;
  perform match_selectors(p_org);
  select id into v_id from runner_selectors where org_id = p_org and sha256_of(labels::text) = sha256_of(p_labels::text);
  return v_id;
end $function$;

CREATE OR REPLACE FUNCTION public.forget_outputs()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from stack_outputs where stack_key = new.stack_key;
  delete from output_readers where stack_key = new.stack_key or reader_key = new.stack_key;
  delete from output_waits where stack_key = new.stack_key or awaited_key = new.stack_key;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.forget_plan_environments()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from plan_environments where run_id in (select id from runs where deployment_id = new.id);
  delete from plan_inputs where run_id in (select id from runs where deployment_id = new.id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.has_approvals(d deployments)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select exists (select from approval_rules r where r.org_id = d.org_id)
    or exists (select from approval_requirements q where q.deployment_id = d.id)
    or exists (select from deployment_reviews v where v.deployment_id = d.id)
$function$;

CREATE OR REPLACE FUNCTION public.hold_quotas(additions jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
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
      select count(*) into present from deployments
      where org_id = a.owner::uuid and status in ('queued', 'pending') and mode <> 'drift';
    else
      raise exception 'there is no quota %', a.quota;
    end if;
    if present > a.most then
      raise exception 'the quota % is reached', a.quota using errcode = 'SVQ01',
        detail = jsonb_build_object('quota', a.quota, 'most', a.most, 'present', present - a.added)::text;
    end if;
  end loop;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION public.inherit_makers(p_from uuid, p_to uuid, p_confirmed boolean)
 RETURNS void
 LANGUAGE sql
AS $function$
  update deployments t set origin_pr_author = f.origin_pr_author from deployments f
    where not p_confirmed and f.id = p_from and t.id = p_to and t.origin_pr_author is null and f.origin_pr_author is not null;
  insert into deployment_makers (deployment_id, kind, maker_id)
    select p_to, m.kind, m.id from deployments d cross join lateral (
      select b.kind, b.id from made_by(d) b
      union
      select e.actor_kind, e.actor_id from deployment_events e
      where p_confirmed and d.origin_type <> 'drift' and e.deployment_id = d.id and e.kind = 'confirmed_apply' and e.actor_id is not null
    ) m
    where d.id = p_from and m.kind in ('user', 'service_account')
  on conflict do nothing
$function$;

CREATE OR REPLACE FUNCTION public.is_destructive(p_mode text, summary jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select p_mode = 'destroy' or coalesce(
    jsonb_array_length(summary -> 'gaps') > 0
      or (summary #>> '{counts,destroy}')::numeric + (summary #>> '{counts,replace}')::numeric + (summary #>> '{counts,forget}')::numeric > 0,
    true)
$function$;

CREATE OR REPLACE FUNCTION public.keep_audit_entry()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- A foreign key's cascade is a trigger itself.
  if tg_op = 'DELETE' and pg_trigger_depth() > 1 then
    return old;
  end if;
  raise exception 'entries of the audit trail cannot be changed or removed' using errcode = 'restrict_violation';
end
$function$;

CREATE OR REPLACE FUNCTION public.known_name(text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$ select left(lower(btrim($1)), 150) $function$;

CREATE OR REPLACE FUNCTION public.lifetime_after_end()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update stack_lifetimes set due_at = svc_now(), put_off = null, put_off_times = 0
  where stack_key = new.stack_key and phase in ('destroying', 'failed');
  if found then
    perform tell_schedules(new.org_id);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.lock_lane(p_deployment uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
declare
  v_stack_key uuid;
  v_stack stacks;
  v_deployment deployments;
  v_runs jsonb;
  v_approvals jsonb;
begin
  select stack_key into v_stack_key from deployments where id = p_deployment;
  if not found then
    return null;
  end if;
  select * into v_stack from stacks where stack_key = v_stack_key for no key update;
  select * into v_deployment from deployments where id = p_deployment for no key update;
  if v_deployment.id is null then
    return null;
  end if;
  perform 1 from runs where deployment_id = p_deployment order by id for no key update;
  select coalesce(jsonb_agg(to_jsonb(r) || jsonb_build_object('last_seen_at', l.last_seen_at) order by r.id), '[]') into v_runs
  from runs r left join run_liveness l on l.run_id = r.id where r.deployment_id = p_deployment;
  if v_deployment.status in ('planning', 'waiting') then
    v_approvals := approvals_of(v_deployment, case when v_deployment.status = 'waiting' then waiting_plan(p_deployment) end);
  end if;
  return jsonb_build_object(
    'now', svc_now(),
    'stack', to_jsonb(v_stack),
    'deployment', to_jsonb(v_deployment),
    'runs', v_runs,
    'approvals', v_approvals,
    'stages', (select coalesce(jsonb_agg(to_jsonb(s) order by s.position), '[]') from stages s where s.deployment_id = p_deployment),
    'gates', (select coalesce(jsonb_agg(to_jsonb(g)), '[]') from deployment_gates g
      where g.deployment_id = p_deployment and coalesce(g.open_until <= svc_now(), true)));
end $function$;

CREATE OR REPLACE FUNCTION public.lock_lanes(p_deployments uuid[])
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
declare
  v_stack stacks;
  v_lanes jsonb;
begin
  select s.* into v_stack from stacks s
  where s.stack_key = (select d.stack_key from deployments d where d.id = any(p_deployments) order by d.id limit 1) for no key update;
  perform 1 from deployments where id = any(p_deployments) and stack_key = v_stack.stack_key order by id for no key update;
  perform 1 from runs where deployment_id = any(p_deployments) order by id for no key update;
  select coalesce(jsonb_agg(jsonb_build_object(
      'deployment', to_jsonb(d) - 'origin_pr_title' - 'origin_pr_body',
      'runs', (select coalesce(jsonb_agg(to_jsonb(r) || jsonb_build_object('last_seen_at', l.last_seen_at) order by r.id), '[]')
        from runs r left join run_liveness l on l.run_id = r.id where r.deployment_id = d.id),
      'stages', (select coalesce(jsonb_agg(to_jsonb(s) order by s.position), '[]') from stages s where s.deployment_id = d.id),
      'gates', (select coalesce(jsonb_agg(to_jsonb(g)), '[]') from deployment_gates g
        where g.deployment_id = d.id and coalesce(g.open_until <= svc_now(), true))
    ) order by d.id), '[]') into v_lanes
  from deployments d where d.id = any(p_deployments) and d.stack_key = v_stack.stack_key;
  return jsonb_build_object('now', svc_now(), 'stack', to_jsonb(v_stack), 'lanes', v_lanes);
end $function$;

CREATE OR REPLACE FUNCTION public.made_by(d deployments)
 RETURNS TABLE(kind text, id text)
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(d.created_by_kind,
      case when exists (select from service_accounts a where a.id::text = d.created_by) then 'service_account' else 'user' end),
    d.created_by
  where d.created_by is not null
  union
  select m.kind, m.maker_id from deployment_makers m where m.deployment_id = d.id
  union
  select e.actor_kind, e.actor_id from deployment_events e
  where e.deployment_id = d.id and e.kind = 'confirmed_replan' and e.actor_id is not null
  union
  select 'user', n.user_id from unnest(array[d.commit_author, d.origin_pr_author]) a join known_names n on n.name = known_name(a)
  union
  select 'user', n.user_id from scm_events e join known_names n on n.name = known_name(e.sender)
  where e.org_id = d.org_id and e.after_sha = d.commit_sha and e.kind = 'push_branch_changed' and e.sender is not null
$function$;

CREATE OR REPLACE FUNCTION public.make_dependency_org()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into dependency_orgs (org_id) values (new.id) on conflict do nothing;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.make_dispatch_group()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into dispatch_groups (group_id) values (new.id) on conflict do nothing;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.make_dispatch_org()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into dispatch_orgs (org_id) values (new.id) on conflict do nothing;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.mark_tokens_of_minter()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'DELETE' then
    update service_account_tokens t set minter_left_at = coalesce(old.expires_at, svc_now())
    from service_accounts a
    where t.created_by = old.user_id and a.id = t.service_account_id and a.org_id = old.org_id;
  else
    update service_account_tokens t set minter_left_at = null
    from service_accounts a
    where t.created_by = new.user_id and a.id = t.service_account_id and a.org_id = new.org_id and t.minter_left_at is not null;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.match_selectors(p_org uuid)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  v_changed integer;
begin
  perform pg_advisory_xact_lock(hashtextextended('selectors:' || p_org, 0));
  with wanted as (
    select g.id as group_id, s.id as selector_id
    from runner_selectors s join organizations o on o.id = s.org_id
    join runner_groups g on g.org_id = s.org_id
      and case when s.labels = '{}' then g.id = o.default_runner_group_id else g.labels @> s.labels end
    where s.org_id = p_org
  ), gone as (
    delete from group_selectors gs using runner_selectors s
    where s.id = gs.selector_id and s.org_id = p_org
      and not exists (select 1 from wanted w where w.group_id = gs.group_id and w.selector_id = gs.selector_id)
    returning 1
  ), new as (
    insert into group_selectors (group_id, selector_id) select group_id, selector_id from wanted
    on conflict do nothing returning 1
  )
  select (select count(*) from gone) + (select count(*) from new) into v_changed;
  return v_changed;
end $function$;

CREATE OR REPLACE FUNCTION public.may_be_one(p_kind text, p_id text, q_kind text, q_id text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select case
    when p_kind = q_kind and p_id = q_id then true
    when p_kind = 'user' and q_kind = 'user' then false
    when p_kind = 'user' then exists (
      select from service_account_minters m where m.user_id = p_id and m.service_account_id::text = q_id)
    when q_kind = 'user' then exists (
      select from service_account_minters m where m.user_id = q_id and m.service_account_id::text = p_id)
    else exists (
      select from service_account_minters m join service_account_minters n on n.user_id = m.user_id
      where m.service_account_id::text = p_id and n.service_account_id::text = q_id)
  end
$function$;

CREATE OR REPLACE FUNCTION public.may_review(p_kind text, p_id text, s stacks)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select p_kind = 'user' and exists (select from users u where u.id = p_id and u.is_super_admin and u.disabled_at is null)
    or exists (
      select from roles_held(p_kind, p_id, s.org_id) h join roles r on r.id = h.role_id join role_permissions p on p.role_id = r.id
      where (r.org_id is null or r.org_id = s.org_id) and p.resource_type in ('stack', '*') and p.action in ('review', '*')
        and (p.resource_pattern is null and p.authz_group is null
          or (s.name <> '' and s.name like p.resource_pattern escape '\')
          or p.authz_group = any(s.authz_groups)))
$function$;

CREATE OR REPLACE FUNCTION public.missing_approvals(d deployments)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  v_plan uuid;
  v_approvals jsonb;
  v_missing jsonb;
  v_summary jsonb;
begin
  if d.status <> 'waiting' or not has_approvals(d) then
    return null;
  end if;
  v_plan := waiting_plan(d.id);
  v_approvals := approvals_of(d, v_plan);
  v_summary := (select r.plan_summary from runs r where r.id = v_plan);
  select coalesce(jsonb_agg(a), '[]') into v_missing from jsonb_array_elements(v_approvals -> 'required') a
  where jsonb_array_length(a -> 'given') < (a ->> 'count')::integer
    and (not (a ->> 'destructive')::boolean or is_destructive(d.mode, v_summary));
  if v_missing = '[]' and v_approvals -> 'rejections' = '[]' then
    return null;
  end if;
  return jsonb_build_object('missing', v_missing, 'rejections', v_approvals -> 'rejections');
end $function$;

CREATE OR REPLACE FUNCTION public.next_deadline(d deployments, t jsonb)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$select min(due_at) from deadlines(d, t)$function$;

CREATE OR REPLACE FUNCTION public.next_deadline(r runs, t jsonb)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$select min(due_at) from deadlines(r, t)$function$;

CREATE OR REPLACE FUNCTION public.open_gates()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from deployment_gates where deployment_id = new.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.outbox_class(m jsonb)
 RETURNS smallint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case
    when m ->> 'kind' in ('signalDeployment', 'signalLease') and (m ->> 'over')::boolean then 3
    when m ->> 'kind' in ('driftChanged', 'schedulesChanged') or (m ->> 'kind' = 'startDeployment' and m ->> 'mode' = 'drift') then 3
    when m ->> 'kind' in ('assignLease', 'signalLease') then 0
    when m ->> 'kind' = 'startDeployment' and (m ->> 'sleepMs')::float8 >= 60000 then 2
    when m ->> 'kind' in ('endDeployment', 'endLease') then 2
    when m ->> 'kind' in ('fanOut', 'startNotification', 'retryNotification', 'endNotification', 'taskRequested') then 3
    else 1
  end::smallint
$function$;

CREATE OR REPLACE FUNCTION public.possible_approvers(d deployments, p_plan uuid, approvers jsonb, given jsonb, most integer)
 RETURNS TABLE(kind text, id text, name text)
 LANGUAGE sql
 STABLE
AS $function$
  with entitled as (
    select m.user_id, s.id as source_id, e.group_key from memberships m
    join external_entitlements e on e.user_id = m.user_id and e.expires_at > svc_now()
    join identity_sources s on s.org_id = d.org_id and s.enabled and s.provider_key = e.provider_key and s.oidc_issuer = e.issuer
      and s.oidc_client_id = e.client_id and s.oidc_groups_claim = e.groups_claim
    where m.org_id = d.org_id and approvers <> '{"roles": [], "groups": [], "service_accounts": []}'
  ), person as (
    select ra.user_id from role_assignments ra
    where ra.org_id = d.org_id and ra.user_id is not null and approvers -> 'roles' ? ra.role_id::text
    union
    select e.user_id from entitled e join group_role_bindings b on b.identity_source_id = e.source_id and b.group_key = e.group_key
    join group_role_binding_roles br on br.binding_id = b.id where approvers -> 'roles' ? br.role_id::text
    union
    select e.user_id from entitled e
    where approvers -> 'groups' @> jsonb_build_array(jsonb_build_object('identity_source_id', e.source_id, 'group_key', e.group_key))
    union
    select m.user_id from memberships m
    where m.org_id = d.org_id and approvers = '{"roles": [], "groups": [], "service_accounts": []}'
  ), candidate as (
    select 'user' as kind, u.id, coalesce(u.display_name, u.login) as name from person p join users u on u.id = p.user_id
    union all
    select 'service_account', a.id::text, a.name from service_accounts a
    where a.org_id = d.org_id and approvers -> 'service_accounts' ? a.id::text
  )
  select c.kind, c.id, c.name from candidate c
  where counts_for(c.kind, c.id, d.org_id, approvers)
    and may_review(c.kind, c.id, (select s from stacks s where s.stack_key = d.stack_key))
    and not exists (select from change_makers(d) x where x.kind = c.kind and x.id = c.id)
    and not exists (select from jsonb_array_elements(given) g where may_be_one(c.kind, c.id, g ->> 'kind', g ->> 'id'))
  order by c.kind desc, c.name, c.id limit most
$function$;

CREATE OR REPLACE FUNCTION public.raise_dependency_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update dependency_orgs o set version = o.version + 1
  where o.org_id in (select org_id from changed group by org_id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.raise_dependency_version_of_stack()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update dependency_orgs set version = version + 1 where org_id = new.org_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_illegal_deployment()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  beside boolean := new.mode in ('plan_unlocked', 'drift');
begin
  if tg_op = 'INSERT' then
    if (new.mode = 'plan_unlocked' and new.status in ('pending', 'waiting'))
      or (new.mode = 'drift' and new.status = 'pending')
      or (not beside and new.status = 'queued') then
      return new;
    end if;
    raise exception 'illegal first status % of a % deployment', new.status, new.mode using errcode = 'SV001';
  end if;
  if new.mode <> old.mode then
    raise exception 'a deployment keeps its mode' using errcode = 'SV001';
  end if;
  if new.status = old.status then
    return new;
  end if;
  if beside and (new.status = 'queued'
    or (old.status = 'planning' and new.status in ('waiting', 'applying'))
    or (old.status = 'waiting' and new.status = 'applying')) then
    raise exception 'illegal transition % -> % of a % deployment', old.status, new.status, new.mode using errcode = 'SV001';
  end if;
  if not (new.status = any (case old.status
    when 'queued' then array['pending', 'skipped', 'cancelled']
    when 'pending' then array['planning', 'applying', 'failed', 'cancelled']
    when 'planning' then array['waiting', 'applying', 'finished', 'failed', 'requested_cancellation', 'cancelled']
    when 'waiting' then array['applying', 'pending', 'skipped', 'cancelled']
    when 'applying' then array['finished', 'failed', 'requested_cancellation', 'cancelled']
    when 'requested_cancellation' then array['cancelling', 'cancelled', 'finished']
    when 'cancelling' then array['cancelled', 'finished']
    else array[]::text[] end)) then
    raise exception 'illegal transition % -> % of a deployment', old.status, new.status using errcode = 'SV001';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_illegal_run()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    if new.status in ('queued', 'pending') then
      return new;
    end if;
    raise exception 'illegal first status % of a run', new.status using errcode = 'SV001';
  end if;
  if new.status = old.status then
    return new;
  end if;
  if not (new.status = any (case old.status
    when 'queued' then array['pending', 'cancelled', 'discarded']
    when 'pending' then array['assigned', 'startup_timeout', 'cancelled', 'discarded']
    when 'assigned' then array['running', 'pending', 'startup_timeout', 'failure', 'cancelled', 'discarded']
    when 'running' then array['success', 'failure', 'timed_out', 'cancelled', 'requested_cancellation']
    when 'requested_cancellation' then array['cancelling', 'success', 'cancelled']
    when 'cancelling' then array['success', 'cancelled']
    else array[]::text[] end)) then
    raise exception 'illegal transition % -> % of a run', old.status, new.status using errcode = 'SV001';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.remember_identity_name()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if btrim(new.login) <> '' then
    insert into known_names (name, user_id) values (known_name(new.login), new.user_id) on conflict do nothing;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.remember_lifetime_maker()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.set_by_kind in ('user', 'service_account') then
    insert into lifetime_makers (stack_key, kind, maker_id) values (new.stack_key, new.set_by_kind, new.set_by)
    on conflict do nothing;
  end if;
  insert into deployment_makers (deployment_id, kind, maker_id)
    select d.id, m.kind, m.maker_id from lifetime_makers m join deployments d on d.id = new.destroy_id
    where m.stack_key = new.stack_key
  on conflict do nothing;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.remember_minter()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into service_account_minters (service_account_id, user_id, org_id)
    select a.id, u.id, a.org_id from service_accounts a, users u where a.id = new.service_account_id and u.id = new.created_by
  on conflict do nothing;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.remember_pull_request_author()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.origin_pr_author := (select p.author from pull_requests p where p.id = new.pull_request_id);
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.remember_schedule_maker()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into deployment_makers (deployment_id, kind, maker_id)
    select d.id, m.kind, m.maker_id from schedule_makers m join deployments d on d.id = new.deployment_id
    where m.schedule_id = new.schedule_id
  on conflict do nothing;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.remember_user_names()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into known_names (name, user_id)
    select distinct known_name(n), new.id from unnest(array[new.login, new.display_name]) n where btrim(n) <> ''
  on conflict do nothing;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.remember_who_made_a_schedule()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into schedule_makers (schedule_id, kind, maker_id) values (new.id, new.created_by_kind, new.created_by);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.remove_scm_events()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from scm_events where integration_id = old.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.roles_held(p_kind text, p_id text, p_org uuid)
 RETURNS TABLE(role_id uuid)
 LANGUAGE sql
 STABLE
AS $function$
  select ra.role_id from service_accounts a join role_assignments ra on ra.service_account_id = a.id and ra.org_id = p_org
  where p_kind = 'service_account' and a.org_id = p_org and a.id::text = p_id and a.disabled_at is null
  union
  select held.role_id
  from users u
  join memberships m on m.user_id = u.id and m.org_id = p_org and (m.expires_at is null or m.expires_at > svc_now())
  cross join lateral (
    select ra.role_id from role_assignments ra where ra.user_id = u.id and ra.org_id = p_org
    union
    select br.role_id from external_entitlements e
    join identity_sources s on s.org_id = p_org and s.enabled and s.provider_key = e.provider_key and s.oidc_issuer = e.issuer
      and s.oidc_client_id = e.client_id and s.oidc_groups_claim = e.groups_claim
    join group_role_bindings b on b.identity_source_id = s.id and b.group_key = e.group_key
    cross join lateral (
      select t.role_id from group_role_binding_roles t where t.binding_id = b.id order by t.role_id limit 5) br
    where e.user_id = u.id and e.expires_at > svc_now()
  ) held
  where p_kind = 'user' and u.id = p_id and u.disabled_at is null
$function$;

CREATE OR REPLACE FUNCTION public.runner_selector_of(labels jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select coalesce(jsonb_object_agg(substr(key, length('svc:runner-group:') + 1), value), '{}')
  from jsonb_each(labels) where starts_with(key, 'svc:runner-group:')
$function$;

CREATE OR REPLACE FUNCTION public.scm_integrations_version(p_org uuid)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select count(*) || ' ' || coalesce(sum(extract(epoch from updated_at)), 0) from scm_integrations where org_id = p_org
$function$;

CREATE OR REPLACE FUNCTION public.sha256_of(VARIADIC parts text[])
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$ select sha256(convert_to(array_to_json(parts)::text, 'UTF8')) $function$;

CREATE OR REPLACE FUNCTION public.standing_reviews(d deployments, p_plan uuid)
 RETURNS TABLE(id uuid, reviewer_kind text, reviewer_id text, verdict text, own boolean)
 LANGUAGE sql
 STABLE
AS $function$
  select n.id, n.reviewer_kind, n.reviewer_id, n.verdict,
    exists (select from change_makers(d) c where c.kind = n.reviewer_kind and c.id = n.reviewer_id)
  from (
    select distinct on (v.reviewer_kind, v.reviewer_id) v.id, v.reviewer_kind, v.reviewer_id, v.verdict from deployment_reviews v
    where v.deployment_id = d.id and v.plan_run_id is not distinct from p_plan
    order by v.reviewer_kind, v.reviewer_id, v.seq desc
  ) n join stacks s on s.stack_key = d.stack_key
  where may_review(n.reviewer_kind, n.reviewer_id, s)
$function$;

CREATE OR REPLACE FUNCTION public.svc_now()
 RETURNS timestamp with time zone
 LANGUAGE sql
 PARALLEL SAFE
AS $function$select clock_timestamp()$function$;

CREATE OR REPLACE FUNCTION public.take_scm_deliveries(p_rows jsonb, p_own interval)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_answer jsonb;
begin
  with given as (
    select * from jsonb_to_recordset(p_rows) as r (id uuid, org uuid, integration uuid, version text, repository text, "externalId" text,
      kind text, branch text, "branchKey" text, "prNumber" integer, before text, after text, sender text, traceparent text)
  ), asked as materialized (
    select g.org, scm_integrations_version(g.org) as version from (select distinct org from given) g
  ), added as (
    insert into scm_events (id, org_id, integration_id, external_event_id, kind, repository_key, branch, branch_key, pr_number,
      before_sha, after_sha, sender)
    select g.id, g.org, g.integration, g."externalId", g.kind, g.repository, g.branch, g."branchKey", g."prNumber", g.before, g.after, g.sender
    from given g join asked a on a.org = g.org and a.version = coalesce(g.version, a.version)
    where exists (select 1 from stacks s where s.org_id = g.org and s.repository_key = g.repository and s.branch = g.branch
        and s.deleted_at is null)
      or g.kind <> 'push_branch_changed' and exists (select 1 from pull_requests p where p.org_id = g.org
        and p.repository_key = g.repository and p.number = g."prNumber")
    order by g.integration, g."externalId"
    on conflict (integration_id, external_event_id) do nothing
    returning id, org_id, branch_key
  ), branches as (
    select jsonb_build_object('kind', 'scmEventArrived', 'orgId', a.org_id, 'key', a.branch_key) as message,
      min(g.traceparent) as traceparent
    from added a join given g on g.id = a.id group by a.org_id, a.branch_key
  ), told as (
    insert into outbox (message, due_at, traceparent)
    select message, svc_now() + p_own, traceparent from branches where p_own is not null
    returning id, message, traceparent
  )
  select jsonb_build_object(
    'ids', coalesce((select jsonb_agg(id) from added), '[]'),
    'versions', coalesce((select jsonb_object_agg(org, version) from asked), '{}'),
    'messages', coalesce(case when p_own is null then (select jsonb_agg(jsonb_build_object('message', message)) from branches)
      else (select jsonb_agg(jsonb_build_object('id', id::text, 'message', message, 'traceparent', traceparent)) from told) end, '[]'))
  into v_answer;
  return v_answer;
end $function$;

CREATE OR REPLACE FUNCTION public.tell_access_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('svc_access_changed', '');
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.tell_drift(org uuid)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into outbox (message, due_at) values (jsonb_build_object('kind', 'driftChanged', 'orgId', org), svc_now())
$function$;

CREATE OR REPLACE FUNCTION public.tell_schedules(org uuid)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into outbox (message, due_at) values (jsonb_build_object('kind', 'schedulesChanged', 'orgId', org), svc_now())
$function$;

CREATE OR REPLACE FUNCTION public.tokens_at(tokens double precision, refilled_at timestamp with time zone, runs_per_hour integer, as_of timestamp with time zone)
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select least(runs_per_hour::float8 * 24,
    coalesce(tokens + greatest(0, extract(epoch from as_of - refilled_at)::float8) * runs_per_hour / 3600, runs_per_hour::float8 * 24))
$function$;

CREATE OR REPLACE FUNCTION public.void_policy_evaluation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update policy_evaluations set status = 'void', completed_at = svc_now()
  where plan_run_id = old.plan_run_id and status = 'pending';
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.waiting_plan(p_deployment uuid)
 RETURNS uuid
 LANGUAGE sql
 STABLE
AS $function$
  select r.id from runs r
  where r.deployment_id = p_deployment and r.kind in ('plan_run', 'destroy_run', 'refresh_run') and r.status = 'success'
  order by r.id desc limit 1
$function$;

-- The explore database: schema explore

CREATE TABLE explore.findings (
  org_id uuid NOT NULL,
  kind text NOT NULL,
  key text COLLATE "C" NOT NULL,
  stack_keys uuid[] NOT NULL,
  stack_count integer NOT NULL,
  details jsonb DEFAULT '{}'::jsonb NOT NULL,
  round uuid NOT NULL,
  CONSTRAINT findings_pkey PRIMARY KEY (org_id, kind, key),
  CONSTRAINT findings_key_check CHECK (octet_length(key) <= 64) NOT VALID,
  CONSTRAINT findings_kind_check CHECK (kind = ANY (ARRAY['cycle', 'orphan', 'duplicate'])),
  CONSTRAINT findings_stack_keys_check CHECK (cardinality(stack_keys) >= 1 AND cardinality(stack_keys) <= 100)
);
CREATE INDEX findings_by_round ON explore.findings (org_id, round);

CREATE TABLE explore.installation (
  singleton boolean DEFAULT true NOT NULL,
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  CONSTRAINT installation_pkey PRIMARY KEY (singleton),
  CONSTRAINT installation_singleton_check CHECK (singleton)
);

CREATE TABLE explore.resources (
  stack_key uuid NOT NULL,
  address text COLLATE "C" NOT NULL,
  org_id uuid NOT NULL,
  mode text NOT NULL,
  type text COLLATE "C" NOT NULL,
  provider text COLLATE "C" NOT NULL,
  realm text,
  identity text,
  identity_hash bytea,
  searched text GENERATED ALWAYS AS ((address || '
') || COALESCE(identity, '')) STORED NOT NULL,
  CONSTRAINT resources_pkey PRIMARY KEY (stack_key, address),
  CONSTRAINT resources_address_check CHECK (octet_length(address) >= 1 AND octet_length(address) <= 1024),
  CONSTRAINT resources_check CHECK ((identity IS NULL) = (identity_hash IS NULL)),
  CONSTRAINT resources_identity_check CHECK (octet_length(identity) <= 1024),
  CONSTRAINT resources_identity_hash_check CHECK (length(identity_hash) <= 1000) NOT VALID,
  CONSTRAINT resources_mode_check CHECK (mode = ANY (ARRAY['managed', 'data'])),
  CONSTRAINT resources_provider_check CHECK (octet_length(provider) <= 255),
  CONSTRAINT resources_realm_check CHECK (octet_length(realm) <= 1024),
  CONSTRAINT resources_type_check CHECK (octet_length(type) <= 255)
);
CREATE INDEX resources_by_address ON explore.resources (org_id, address, stack_key);
CREATE INDEX resources_by_identity ON explore.resources (org_id, identity_hash, stack_key) WHERE mode = 'managed' AND identity_hash IS NOT NULL;
CREATE INDEX resources_by_provider ON explore.resources (org_id, provider, address, stack_key);
CREATE INDEX resources_by_text ON explore.resources USING gin (searched gin_trgm_ops);
CREATE INDEX resources_by_type ON explore.resources (org_id, type, address, stack_key);

CREATE TABLE explore.stacks (
  stack_key uuid NOT NULL,
  org_id uuid NOT NULL,
  run_id uuid NOT NULL,
  run_completed_at timestamp with time zone NOT NULL,
  state text NOT NULL,
  complete boolean DEFAULT false NOT NULL,
  CONSTRAINT stacks_pkey PRIMARY KEY (stack_key),
  CONSTRAINT stacks_state_check CHECK (state = ANY (ARRAY['loading', 'known', 'unknown']))
);
CREATE INDEX stacks_by_org ON explore.stacks (org_id, stack_key);
