import { readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { textMasker } from "../output/masking.ts";
import { type PlanDocument, parsePlanDocument } from "../plan/planDocument.ts";
import { sensitiveForms } from "../plan/planSensitive.ts";
import { resourcesOf, type StateResource } from "../plan/stateResources.ts";
import { sensitiveFormsOfState } from "../plan/stateSensitive.ts";
import {
  changesSection,
  dependenciesSection,
  plannedResources,
  stateResources,
  withOwnState,
} from "./analysisDocument.ts";
import { cloudIdentity } from "./cloudIdentity.ts";
import { CommentScanner } from "./commentScanner.ts";
import { IdentityDeclarations } from "./identityComments.ts";
import { stateLocation } from "./stateLocation.ts";

function real(name: string): PlanDocument {
  const file = path.join(import.meta.dirname, "../plan/testdata", `${name}.json`);
  const document = parsePlanDocument(readFileSync(file, "utf8"));
  if (document === null) throw new Error(`${name} is no plan`);
  return document;
}

const asIs = (text: string) => text;
const none = new IdentityDeclarations();
const AWS = "registry.terraform.io/hashicorp/aws";

function resource(type: string, values: Record<string, unknown>, more: Partial<StateResource> = {}): StateResource {
  return { address: `${type}.x`, mode: "managed", type, provider: AWS, values, marks: {}, ...more };
}

describe("a real plan", () => {
  test("its resources are what will be there, with their identity, and its changes are what it changes", () => {
    const plan = real("mixed");
    const { complete, items } = plannedResources(plan, none, false, asIs);
    expect(complete).toBe(true);
    expect(items.map(({ address }) => address)).toEqual([
      "data.terraform_remote_state.read",
      "terraform_data.added",
      "terraform_data.forgotten",
      "terraform_data.imported",
      "terraform_data.kept",
      "terraform_data.new_name",
      "terraform_data.replaced",
      "terraform_data.replaced_create_first",
      "terraform_data.updated",
    ]);
    expect(items.find(({ address }) => address === "terraform_data.kept")).toEqual({
      address: "terraform_data.kept",
      mode: "managed",
      type: "terraform_data",
      provider: "terraform.io/builtin/terraform",
      realm: "terraform.io/builtin/terraform terraform_data",
      identity: "d3936cd4-5010-24d3-91ef-4e3aab7af381",
      ignore: false,
    });
    expect(items.find(({ address }) => address === "terraform_data.added")?.identity).toBeNull();
    expect(changesSection(plan, false, asIs)).toEqual({
      resources: ["added", "destroyed", "forgotten", "imported", "new_name", "old_name"]
        .concat(["replaced", "replaced_create_first", "updated"])
        .map((name) => `terraform_data.${name}`),
      outputs: [],
    });
    expect(plannedResources(plan, none, true, asIs).complete).toBe(false);
  });

  test("of a refresh the drift counts; a steady one changes nothing", () => {
    expect(changesSection(real("drift-refresh-only"), true, asIs)?.resources).toHaveLength(1);
    expect(changesSection(real("steady-refresh-only"), true, asIs)).toEqual({ resources: [], outputs: [] });
    expect(changesSection(real("outputs-only"), false, asIs)).toMatchObject({ resources: [] });
    expect(changesSection(real("outputs-only"), false, asIs)?.outputs.length).toBeGreaterThan(0);
  });

  test.each(["sensitive", "sensitive-update"])("no sensitive value of %s is in it", (name) => {
    const plan = real(name);
    const forms = sensitiveForms(plan);
    expect(forms.length).toBeGreaterThan(0);
    const mask = textMasker(forms);
    const text = JSON.stringify([plannedResources(plan, none, false, mask), changesSection(plan, false, mask)]);
    for (const form of forms) expect(text).not.toContain(form.toString("utf8"));
  });
});

describe("a state", () => {
  const secret = "sensitive-identity-1";
  const state = {
    values: {
      outputs: { password: { value: "out-of-sight", sensitive: true } },
      root_module: {
        resources: [
          {
            address: "aws_vpc.a",
            mode: "managed",
            type: "aws_vpc",
            provider_name: AWS,
            values: { id: "vpc-0a1b2c3d" },
          },
          { address: "aws_vpc.a", mode: "managed", type: "aws_vpc", deposed_key: "0", values: { id: "vpc-11111111" } },
          {
            address: "aws_vpc.b",
            mode: "managed",
            type: "aws_vpc",
            provider_name: AWS,
            values: { id: "vpc-0a1b2c3e", note: secret },
            sensitive_values: { note: true },
          },
        ],
        child_modules: [
          {
            resources: [
              {
                address: "module.m.data.aws_vpc.c",
                mode: "data",
                type: "aws_vpc",
                provider_name: AWS,
                values: { arn: `arn:${secret}` },
              },
              { address: `module.m.aws_vpc.d["${secret}"]`, mode: "managed", type: "aws_vpc", values: {} },
            ],
            child_modules: [
              { resources: [{ address: "module.m.module.n.aws_vpc.e", mode: "managed", type: "aws_vpc" }] },
            ],
          },
        ],
      },
    },
  };

  test("every module is looked into; what shows a secret is left out and the list says that it is not whole", () => {
    const mask = textMasker(sensitiveFormsOfState(state));
    const { complete, items } = stateResources(state, none, mask);
    expect(complete).toBe(false);
    expect(items.map(({ address, identity }) => [address, identity])).toEqual([
      ["aws_vpc.a", "vpc-0a1b2c3d"],
      ["aws_vpc.b", "vpc-0a1b2c3e"],
      ["module.m.data.aws_vpc.c", null],
      ["module.m.module.n.aws_vpc.e", null],
    ]);
    expect(sensitiveFormsOfState(state).map(String)).toContain("out-of-sight");
    expect(stateResources({}, none, mask)).toEqual({ complete: true, items: [] });
  });

  test("a name that holds a secret makes unknown what changed: no dependent goes by another name than the true one", () => {
    const mask = textMasker([Buffer.from("reader")]);
    const change = { actions: ["update"], before: 1, after: 2 };
    const names = ["outputs", "address", "previous_address", "action"] as const;
    for (const name of names) {
      const plan = {
        format_version: "1.2",
        output_changes: { [name === "outputs" ? "reader_endpoint" : "endpoint"]: change },
        resource_changes: [
          {
            address: name === "address" ? "a.reader" : "a.b",
            ...(name === "previous_address" && { previous_address: "a.reader" }),
            change,
          },
        ],
        action_invocations: [{ address: name === "action" ? "action.x.reader" : "action.x.y" }],
      };
      const document = parsePlanDocument(JSON.stringify(plan))!;
      expect(changesSection(document, false, asIs)).not.toBeNull();
      expect(changesSection(document, false, mask)).toBeNull();
    }
  });

  test("a hidden identity or a hidden place of the state says that the list is not whole", () => {
    const resource = { address: "a.b", mode: "managed", type: "a", values: { id: "vpc-0a1b2c3d" } };
    const values = { root_module: { resources: [resource] } };
    const mask = textMasker([Buffer.from("vpc-0a1b2c3d")]);
    const resources = stateResources({ values }, none, mask);
    expect(resources).toMatchObject({ complete: false, items: [{ address: "a.b", identity: null }] });
    const whole = { ...stateResources({ values: {} }, none, asIs) };
    const analysis = { version: 1, dependencies: null, resources: whole, changes: null } as const;
    const place = { realm: "r", identity: "bucket=vpc-0a1b2c3d" };
    expect(withOwnState(analysis, place, none, mask).resources).toEqual({ complete: false, items: [] });
  });

  test("comments leave resources out, and give a realm", () => {
    const scanner = new CommentScanner({ id: "s", name: "s", labels: {} });
    const file = scanner.file("a.tf");
    file.line("# svc:resource-identity: resource=aws_vpc.a ignore=true");
    file.line("# svc:resource-identity-realm: resource=aws_vpc.b realm=lab");
    file.line("# svc:nothing # svc:dependency");
    file.line("# svc:dependency: from_stack=a trigger=out-of-sight");
    file.end();
    const { items } = stateResources(state, scanner.identities, asIs);
    expect(items[0]).toMatchObject({ identity: null, realm: null, ignore: true });
    expect(items[1]).toMatchObject({ identity: "vpc-0a1b2c3e", realm: "lab aws_vpc", ignore: false });
    expect(dependenciesSection(scanner, textMasker([Buffer.from("out-of-sight")])).errors).toEqual([
      'a.tf:4: trigger "***" is none of always, manual, never',
    ]);
  });

  test("whatever the engine's JSON holds, reading it never throws", () => {
    fc.assert(fc.property(fc.anything(), (value) => void [...resourcesOf(value)]));
    fc.assert(
      fc.property(
        fc.anything(),
        (value) => void [...resourcesOf({ root_module: { resources: [value], child_modules: [value] } })],
      ),
    );
  });
});

describe("a state's own place", () => {
  const at = (backend: unknown, config: unknown, workspace: unknown = null, marks: unknown = {}) =>
    stateLocation(backend, config, marks, workspace)?.identity ?? null;

  test.each([
    ["local", { path: "/srv/net.tfstate", workspace_dir: null }, null, "path=/srv/net.tfstate"],
    ["s3", { bucket: "b", key: "k", secret_key: "x", region: "r" }, "default", "bucket=b key=k"],
    ["s3", { bucket: "b", key: "k" }, "blue", "bucket=b key=k workspace=blue"],
    [
      "http",
      { address: "https://me:secret@states.example/net", password: "x" },
      "",
      "address=https://states.example/net",
    ],
    ["remote", { organization: "o", workspaces: { name: "net" } }, null, "organization=o workspace=net"],
    ["cloud", { organization: "o", workspaces: [{ name: "net", tags: null }] }, "net", "organization=o workspace=net"],
  ])("%s %o %s", (backend, config, workspace, identity) => expect(at(backend, config, workspace)).toBe(identity));

  test.each([
    ["local", { path: "net.tfstate" }],
    ["local", {}],
    ["s3", { region: "r" }],
    ["s3", null],
    [null, { path: "/a" }],
  ])("tells nothing that lasts: %o %o", (backend, config) => expect(at(backend, config)).toBeNull());

  test("what is sensitive is no part of it", () => {
    expect(at("http", { address: "https://x", path: "p" }, null, { address: true })).toBe("path=p");
    expect(at("http", { address: "https://x" }, null, true)).toBeNull();
  });

  test("is managed by the stack, changes with its outputs, and is what another stack reads", () => {
    const location = stateLocation("local", { path: "/srv/net.tfstate" }, null, "");
    const analysis = {
      version: 1 as const,
      dependencies: null,
      resources: { complete: true, items: [] },
      changes: { resources: [], outputs: ["vpc_id"] },
    };
    const { resources, changes } = withOwnState(analysis, location, none, asIs);
    const read = resource(
      "terraform_remote_state",
      { backend: "local", config: { path: "/srv/net.tfstate" } },
      { mode: "data" },
    );
    expect(resources?.items).toMatchObject([
      { address: "terraform.state", mode: "managed", ...cloudIdentity(read, null) },
    ]);
    expect(changes?.resources).toEqual(["terraform.state"]);
    const steady = { ...analysis, changes: { resources: ["a.b"], outputs: [] } };
    expect(withOwnState(steady, location, none, asIs).changes?.resources).toEqual(["a.b"]);
    expect(withOwnState(analysis, null, none, asIs)).toEqual(analysis);
    const ignored = new IdentityDeclarations();
    ignored.addIgnore(
      new Map([
        ["resource", "terraform.state"],
        ["ignore", "true"],
      ]),
      null,
    );
    expect(withOwnState(analysis, location, ignored, asIs).resources?.items).toMatchObject([
      { identity: null, ignore: true },
    ]);
  });
});

describe("identity", () => {
  const identity = (type: string, values: Record<string, unknown>, more?: Partial<StateResource>) =>
    cloudIdentity(resource(type, values, more), null);

  test.each([
    ["aws_s3_bucket", { id: "logs", arn: "arn:aws:s3:::logs" }, `${AWS} aws_s3_bucket`, "arn:aws:s3:::logs"],
    ["aws_subnet", { id: "subnet-0a1b2c3d" }, `${AWS} aws_subnet`, "subnet-0a1b2c3d"],
    [
      "google_compute_network",
      { id: "projects/p/global/networks/n", project: "p" },
      `${AWS} google_compute_network`,
      "projects/p/global/networks/n",
    ],
    [
      "azurerm_subnet",
      { id: "/subscriptions/A/resourceGroups/B" },
      `${AWS} azurerm_subnet`,
      "/subscriptions/a/resourcegroups/b",
    ],
    ["aws_db_subnet_group", { id: "main", owner_id: "1", region: "eu-1" }, `${AWS} aws_db_subnet_group 1 eu-1`, "main"],
    ["aws_vpc", { id: "v", tags: { "svc:resource-identity-id": "main" } }, "declared", "main"],
    [
      "aws_vpc",
      { id: "v", tags_all: { "svc:resource-identity-id": "main", "svc:resource-identity-realm": "lab" } },
      "lab",
      "main",
    ],
    ["aws_vpc", { id: "v", tags: { "svc:resource-identity-realm": "lab" } }, "lab aws_vpc", "v"],
  ])("%s %o", (type, values, realm, name) => expect(identity(type, values)).toEqual({ realm, identity: name }));

  test.each([
    ["kubernetes_service", { id: "default/web" }, {}],
    ["aws_s3_bucket_policy", { id: "logs" }, {}],
    ["aws_cloudwatch_event_target", { id: "rule-lambda", arn: "arn:aws:lambda:other" }, {}],
    ["aws_vpc", { id: "vpc-0a1b2c3d" }, { marks: { id: true } }],
    ["aws_vpc", { id: 4, arn: null, tags: ["svc:resource-identity-id"] }, {}],
    ["aws_vpc", { tags: { "svc:resource-identity-id": "main" } }, { marks: { tags: true } }],
    ["aws_vpc", { id: "" }, {}],
  ])("nothing says what this is: %s %o %o", (type, values, more) => expect(identity(type, values, more)).toBeNull());

  test("a bucket and its policy are two, and a managed and a read one the same", () => {
    const values = { id: "logs", account_id: "1" };
    expect(identity("aws_s3_bucket", values)).not.toEqual(identity("aws_s3_bucket_policy", values));
    expect(identity("aws_s3_bucket", values)).toEqual(identity("aws_s3_bucket", values, { mode: "data" }));
  });
});
