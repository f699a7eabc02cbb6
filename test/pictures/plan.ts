/** A plan with something of every kind, as people meet one. Pure. */
import type { PlanChange } from "../../clients/plan/change.ts";

const AWS = "registry.terraform.io/hashicorp/aws";
const ACTIONS = { destroy: ["delete"], replace: ["delete", "create"], change: ["update"], add: ["create"] } as const;

const change = (
  action: keyof typeof ACTIONS,
  address: string,
  before: unknown,
  after: unknown,
  more: Partial<PlanChange> = {},
): PlanChange => ({
  ...{ kind: "resource", address, type: address.split(".").at(-2) ?? "", provider: AWS },
  ...{ action, actions: ACTIONS[action], before, after },
  ...more,
});

const database = (version: string, rest: object) => ({ engine: "postgres", engine_version: version, ...rest });
const ingress = (cidr: string) => ({ ingress: [{ from_port: 443, to_port: 443, cidr_blocks: [cidr] }] });

const CHANGES: readonly PlanChange[] = [
  change("destroy", "aws_route53_record.old", { name: "pay-old.acme.example", ttl: 300 }, null, {
    reason: "delete_because_no_resource_config",
  }),
  change(
    "replace",
    "module.db.aws_db_instance.main",
    database("15.8", { endpoint: "db.acme.internal:5432" }),
    database("17.2", { endpoint: "(known after apply)" }),
    { reason: "replace_because_cannot_update", replace_paths: [["engine_version"]] },
  ),
  change("change", "aws_security_group.web", ingress("10.0.0.0/8"), ingress("0.0.0.0/0")),
  change("change", "aws_ecs_service.api", { desired_count: 4 }, { desired_count: 6 }),
  change("change", "aws_secretsmanager_secret_version.db", secret(), secret(), { hidden_changes: [["secret_string"]] }),
  change("add", "aws_cloudwatch_metric_alarm.latency", null, { name: "payments-latency", threshold: 250 }),
  change("add", "aws_route53_record.pay", null, { name: "pay.acme.example", ttl: 60 }),
  change("add", "aws_wafv2_web_acl.public", null, { name: "payments-public" }),
  change("change", "aws_autoscaling_group.workers", { max_size: 8 }, { max_size: 12 }, { kind: "drift" }),
  change("change", "output.endpoint", "db.acme.internal:5432", "(known after apply)", { kind: "output", type: "" }),
];

function secret() {
  return { secret_string: "(sensitive value)", secret_id: "payments/db" };
}

export function planLines(): Buffer<ArrayBuffer> {
  return Buffer.from(`${CHANGES.map((each) => JSON.stringify(each)).join("\n")}\n`);
}

export const PLANNED = {
  status: "success",
  plan_summary: {
    has_changes: true,
    counts: { add: 3, change: 3, destroy: 1, replace: 1, import: 0, forget: 0, move: 0 },
    gaps: [],
  },
} as const;
