/** The resource index follows a state that people or commands change, without a run's analysis (docs/state.md). */
import { expect } from "vitest";
import { indexStack } from "../../src/graph/explore/indexStack.ts";
import { state, test } from "../support/stateTest.ts";

const managed = (name: string, instances: object[]) => ({
  mode: "managed",
  type: "aws_vpc",
  name,
  provider: 'provider["registry.terraform.io/hashicorp/aws"]',
  instances,
});

test("what is pushed is asked to be indexed, and is; identities that are known stay", async ({ api, world }) => {
  const { db, sql } = api.database;
  const stack = await world.makeStack();
  const deps = { main: db, explore: db, objects: api.objects };
  const index = () => indexStack(deps, { orgId: world.orgId, stackKey: stack.stackKey }, null, () => false);
  const indexed = () =>
    sql`select address, mode, type, provider, identity from explore.resources where stack_key = ${stack.stackKey} order by address`;

  await world.push(
    stack,
    state(1, {
      resources: [managed("a", [{}]), { ...managed("b", [{ index_key: 0 }, { index_key: "x" }]), module: "module.m" }],
    }),
  );
  const [asked] = await sql`
    select kind from org_tasks where stack_key = ${stack.stackKey} and kind = 'resource_index_reconcile'`;
  expect(asked).toBeDefined();
  expect(await index()).toBeNull();
  const provider = "registry.terraform.io/hashicorp/aws";
  const row = { mode: "managed", type: "aws_vpc", provider, identity: null };
  expect(await indexed()).toMatchObject([
    { address: "aws_vpc.a", ...row },
    { address: 'module.m.aws_vpc.b["x"]', ...row },
    { address: "module.m.aws_vpc.b[0]", ...row },
  ]);

  await sql`update explore.resources set realm = 'r', identity = 'vpc-1', identity_hash = sha256('x') where stack_key = ${stack.stackKey} and address = 'aws_vpc.a'`;
  await world.push(stack, state(2, { resources: [managed("a", [{}]), managed("c", [{}])] }));
  await index();
  expect(await indexed()).toMatchObject([
    { address: "aws_vpc.a", identity: "vpc-1" },
    { address: "aws_vpc.c", identity: null },
  ]);

  // Encrypted by its engine: what was known stays, and is said to be unknown by now.
  await world.push(stack, { serial: 3, lineage: state(1).lineage, encrypted_data: "x", encryption_version: "v0" });
  await index();
  expect(await indexed()).toHaveLength(2);
  const [known] = await sql`select state from explore.stacks where stack_key = ${stack.stackKey}`;
  expect(known?.state).toBe("unknown");
});
