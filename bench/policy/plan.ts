/** A plan of 10,000 changes, some 6 MB as a runner stores it. */
import type { PlanChange } from "../../src/core/runs/planChange.ts";

export const CHANGES = 10_000;
const DESTROYS = 20;
export const COUNTS = {
  add: 0,
  change: CHANGES - DESTROYS,
  destroy: DESTROYS,
  replace: 0,
  import: 0,
  forget: 0,
  move: 0,
};

export function manyChanges(): Buffer {
  const lines = Array.from({ length: CHANGES }, (_, at) => JSON.stringify(change(at)));
  return Buffer.from(`${lines.join("\n")}\n`);
}

function change(at: number): PlanChange {
  const type = at % 50 === 0 ? "aws_db_instance" : "aws_instance";
  const value = { name: `host-${at}`, tags: { team: "platform", index: String(at) }, text: "x".repeat(150) };
  const destroys = at < DESTROYS;
  return {
    kind: "resource",
    address: `module.fleet["${at}"].${type}.this`,
    type,
    provider: "registry.terraform.io/hashicorp/aws",
    action: destroys ? "destroy" : "change",
    actions: [destroys ? "delete" : "update"],
    before: value,
    after: destroys ? null : { ...value, name: `host-${at}-b` },
  };
}
