import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CommentScanner } from "./commentScanner.ts";
import type { CurrentStack } from "./template.ts";

const stack: CurrentStack = { id: "web-prod", name: "Web Prod", labels: { env: "prod", "team-name": "Edge" } };

function scan(text: string, of: CurrentStack = stack): CommentScanner {
  const scanner = new CommentScanner(of);
  const file = scanner.file("main.tf");
  for (const line of text.split("\n")) file.line(line);
  file.end();
  return scanner;
}

/** Without where they stand. */
const edges = (text: string) => scan(text).edges.map(({ file: _file, line: _line, ...edge }) => edge);
const errors = (text: string) => scan(text).errors;
const whole = { from_stack: "net", from_resource: null, resource: null, trigger: "manual" };

describe("svc:dependency", () => {
  test("declares an edge from the stack, with its place", () => {
    expect(scan("\n  # svc:dependency: from_stack=net").edges).toEqual([{ ...whole, file: "main.tf", line: 2 }]);
  });

  test.each([
    ["//svc:dependency: from_stack=net", {}],
    ["#svc:dependency:from_stack=net", {}],
    ['# svc:dependency: trigger=always from_stack="net"', { trigger: "always" }],
    ["# svc:dependency: from_stack=net from_resource=output.vpc_id", { from_resource: "output.vpc_id" }],
    ['# svc:dependency: resource=aws_a.b["x.y"] from_stack=net', { resource: 'aws_a.b["x.y"]' }],
    [
      '# svc:dependency: from_stack=net resource="module.a[0].aws_a.b[\\"k\\"]"',
      { resource: 'module.a[0].aws_a.b["k"]' },
    ],
    ["# svc:dependency: from_stack=net # trigger=always", {}],
    ["# svc:dependency: from_stack=net// trigger=always", {}],
    ["// svc:dependency: from_stack=net trigger=never#x", { trigger: "never" }],
    ["# svc:dependency: from_stack=net stack=web-prod", {}],
    ["# svc:dependency: from_stack=net stack_regex=^web-", {}],
    ['# svc:dependency: from_stack=net stack_regex="prod$ # // |prod"', {}],
    [
      '# svc:dependency: from_stack=net from_resource_tpl="output.{{ .stack.Labels.env }}"',
      { from_resource: "output.prod" },
    ],
  ])("%s", (comment, expected) => {
    expect(errors(comment)).toEqual([]);
    expect(edges(comment)).toEqual([{ ...whole, ...expected }]);
  });

  test.each([
    "# svc:dependency: from_stack=net stack=other",
    "# svc:dependency: from_stack=net stack_regex=^prod",
    "# svc:dependency: from_stack_tpl={{.stack.Labels.nowhere}} stack=other",
    "# mentions svc:dependency: from_stack=net",
    "## svc:dependency: from_stack=net",
    "# svc:dependency-of: from_stack=net",
    "# SVC:dependency: from_stack=net",
    'x = "# svc:dependency: from_stack=net"',
    `x = "\${f("a")} # svc:dependency: from_stack=net"`,
    'x = "\\" # svc:dependency: from_stack=net"',
    "/* \n# svc:dependency: from_stack=net\n*/",
    "x = <<EOT\n# svc:dependency: from_stack=net\n  EOT\n",
    "x = [<<-EOT\n# svc:dependency: from_stack=net\nEOT\n]",
  ])("says nothing: %s", (text) => {
    expect(scan(text)).toMatchObject({ edges: [], errors: [] });
  });

  test.each([
    ["svc:dependency", "svc:dependency must be followed by a colon"],
    ["svc:dependency:", "from_stack or from_stack_tpl is required"],
    ["svc:dependency: # from_stack=net", "from_stack or from_stack_tpl is required"],
    ["svc:dependency: from_stack=", "from_stack is empty"],
    ['svc:dependency: from_stack=""', "from_stack is empty"],
    ['svc:dependency: from_stack="net', "the quotes of from_stack are not closed"],
    ['svc:dependency: from_stack="net"trigger=always', "fields must be separated by spaces"],
    ["svc:dependency: from_stack=net always", 'expected key=value at "always"'],
    ["svc:dependency: from_stack=net from_stack=net", "from_stack is given twice"],
    ["svc:dependency: from_stack=net from_stack_tpl=x", "from_stack and from_stack_tpl exclude each other"],
    [
      "svc:dependency: from_stack=net from_resource=a.b from_resource_tpl=a.b",
      "from_resource and from_resource_tpl exclude each other",
    ],
    ["svc:dependency: from_stack=net stack=a stack_regex=a", "stack and stack_regex exclude each other"],
    ["svc:dependency: from_stack=net trigger_tpl=always", "trigger_tpl is no field of this comment"],
    ["svc:dependency: from_stack=net trigger=sometimes", 'trigger "sometimes" is none of always, manual, never'],
    ["svc:dependency: from_stack=n/t", 'from_stack "n/t" has characters that no stack id has'],
    ["svc:dependency: from_stack=net stack=näh", 'stack "näh" has characters that no stack id has'],
    ["svc:dependency: from_stack=net resource=a.b;c", /^resource "a.b;c" has characters other than/],
    ["svc:dependency: from_stack=net resource=vpc", 'resource "vpc" is no address'],
    ["svc:dependency: from_stack=net from_resource=a..b", 'from_resource "a..b" is no address'],
    ["svc:dependency: from_stack=net stack_regex=(?=a)", 'stack_regex "(?=a)" is no expression of RE2'],
    ["svc:dependency: from_stack=net from_resource=output.a as=PATH", 'as "PATH" is not TF_VAR_ and the name'],
    ["svc:dependency: from_stack=net as=TF_VAR_a", "as is the variable for an output"],
    ["svc:dependency: from_stack=net from_resource=a.b as=TF_VAR_a", "as is the variable for an output"],
    ["svc:dependency: from_stack=web-prod", "a stack cannot depend on itself"],
    [`svc:dependency: from_stack=${"n".repeat(513)}`, "from_stack is longer than 512 characters"],
    [`svc:dependency: from_stack=net ${" ".repeat(20_000)}`, "the comment is longer than 16384 characters"],
    ['svc:dependency: from_stack_tpl="{{ .stack.Nothing }}" stack=other', /is none of .stack.ID/],
  ])("is one whole error entry: %s", (comment, message) => {
    const { edges: found, errors: entries } = scan(`\n# ${comment}`);
    expect(found).toEqual([]);
    expect(entries).toHaveLength(1);
    expect(entries[0]?.replace(/^main\.tf:2: /, "")).toMatch(message);
  });

  test("repeated declarations combine, manual over never over always", () => {
    const with3 = (...triggers: string[]) =>
      edges(triggers.map((trigger) => `# svc:dependency: from_stack=net trigger=${trigger}\n`).join("")).map(
        (e) => e.trigger,
      );
    expect(with3("always", "never")).toEqual(["never"]);
    expect(with3("never", "always", "manual")).toEqual(["manual"]);
    expect(with3("always", "always")).toEqual(["always"]);
    expect(edges("# svc:dependency: from_stack=a\n# svc:dependency: from_stack=b")).toHaveLength(2);
  });
});

test("an output of another stack may be given as several variables", () => {
  const line = (as: string) => `# svc:dependency: from_stack=net from_resource=output.a as=${as}\n`;
  const found = edges(line("TF_VAR_a") + line("TF_VAR_b") + line("TF_VAR_b"));
  expect(found.map(({ as }) => as)).toEqual(["TF_VAR_a", "TF_VAR_b"]);
});

describe("the block below", () => {
  const directive = "# svc:dependency: from_stack=net";
  const adopted = (below: string) => edges(`${directive}\n${below}`)[0]?.resource;

  test.each([
    ['resource "aws_subnet" "a" {', "aws_subnet.a"],
    ['\n\n  # a note\n/* more\n */\nresource "aws_subnet" "a" {}', "aws_subnet.a"],
    ["resource aws_subnet a {", "aws_subnet.a"],
    ['data "aws_vpc" "main" { # note', "data.aws_vpc.main"],
    ['module "app" {', "module.app"],
    ['variable "x" {', null],
    ['x = 1\nresource "aws_subnet" "a" {', null],
    ["", null],
  ])("%s", (below, address) => expect(adopted(below)).toBe(address));

  test("is adopted by every comment above it, and by one behind its first line; a named resource comes first", () => {
    const text = `${directive}\n// svc:dependency: from_stack=dns\nmodule "app" { # svc:dependency: from_stack=kms\n}\n`;
    expect(edges(text).map(({ from_stack, resource }) => [from_stack, resource])).toEqual([
      ["net", "module.app"],
      ["dns", "module.app"],
      ["kms", "module.app"],
    ]);
    expect(edges(`${directive} resource=a.b\nmodule "app" {`)[0]?.resource).toBe("a.b");
  });
});

describe("svc:resource-identity", () => {
  test("counts for the address, its instances and what is inside a module; the nearest directive decides", () => {
    const { identities, errors: entries } = scan(`
      # svc:resource-identity: ignore=true
      module "app" {
      }
      # svc:resource-identity: resource=module.app.aws_a.b ignore=false
      # svc:resource-identity-realm: realm="staging account"
      x = 1
      # svc:resource-identity-realm: realm=other
      resource "aws_a" "c" {}`);
    expect(entries).toEqual([]);
    const of = (address: string) => identities.of(address);
    expect(of("module.app[0].aws_a.x")).toEqual({ ignore: true, realm: "staging account", contested: false });
    expect(of('module.app.aws_a.b["k.l"]')).toMatchObject({ ignore: false });
    expect(of('aws_a.c["module.app"]')).toEqual({ ignore: false, realm: "other", contested: false });
    expect(of("module.application.aws_a.x")).toMatchObject({ ignore: false });
  });

  test("two for one address are an error, and its identity is unknown", () => {
    const { identities, errors: entries } = scan(
      "# svc:resource-identity: resource=a.b ignore=true\n# svc:resource-identity: resource=a.b ignore=true",
    );
    expect(entries).toEqual(['main.tf:2: a second one for "a.b"']);
    expect(identities.of("a.b[1]").contested).toBe(true);
    expect(identities.of("a.c").contested).toBe(false);
  });

  test.each([
    ["svc:resource-identity: resource=a.b", "ignore is required"],
    ["svc:resource-identity: resource=a.b ignore=yes", 'ignore "yes" is neither true nor false'],
    ["svc:resource-identity: ignore=true", "name a resource, or put the comment right above its block"],
    ["svc:resource-identity: resource=a.b ignore=true realm=x", "realm is no field of this comment"],
    ["svc:resource-identity-realm: resource=a.b", "realm is required"],
  ])("%s", (comment, message) => expect(errors(`# ${comment}`)).toEqual([`main.tf:1: ${message}`]));
});

describe("for any text", () => {
  const piece = fc.constantFrom(
    ...`#|//|/*|*/|"|\\|{|}|\${|%{|<<EOT|\nEOT\n|\n| |=|svc:dependency:|from_stack|from_stack_tpl|from_resource|resource|stack_regex|trigger|net|always|output.a|aws_a.b|{{ .stack.ID }}|[0]|é|\u0000|\ud800|resource "a" "b" {`.split(
      "|",
    ),
  );
  const text = fc
    .array(fc.oneof(piece, fc.string({ maxLength: 4 })), { maxLength: 60 })
    .map((pieces) => pieces.join(""));

  test("the scanner never throws, and what it gives is whole", () => {
    fc.assert(
      fc.property(text, (source) => {
        const { edges: found, errors: entries } = scan(source);
        for (const edge of found) {
          expect(edge.from_stack).toMatch(/^[A-Za-z0-9._-]+$/);
          for (const address of [edge.from_resource, edge.resource]) {
            if (address !== null) expect(address).toMatch(/^[A-Za-z0-9._\-[\]"]+$/);
          }
          expect(["always", "manual", "never"]).toContain(edge.trigger);
        }
        for (const entry of entries) expect(entry).toMatch(/^main\.tf:\d+: [^\n]+$/);
      }),
      { numRuns: 3_000 },
    );
  });

  test("a comment gives all that its fields say or, damaged anywhere, an error entry or nothing of them", () => {
    const comment = fc.shuffledSubarray(
      ["from_stack=net", "from_resource=a.b", "resource=c.d", "trigger=always", 'stack="web-prod"'],
      { minLength: 1 },
    );
    fc.assert(
      fc.property(comment, fc.nat(), fc.constantFrom("!", '"', " ", "=", "\\", "{{", "é"), (fields, at, junk) => {
        const line = `# svc:dependency: ${fields.join(" ")}`;
        const full = scan(line);
        const hasStack = fields.includes("from_stack=net");
        expect(full.edges.length + full.errors.length).toBe(1);
        expect(full.edges.length).toBe(hasStack ? 1 : 0);
        // Every field of the undamaged comment is in the edge.
        if (hasStack) {
          expect(full.edges[0]).toMatchObject({
            from_stack: "net",
            from_resource: fields.includes("from_resource=a.b") ? "a.b" : null,
            resource: fields.includes("resource=c.d") ? "c.d" : null,
            trigger: fields.includes("trigger=always") ? "always" : "manual",
          });
        }
        const start = "# svc:dependency: ".length;
        const place = start + (at % (line.length - start));
        const damaged = scan(line.slice(0, place) + junk + line.slice(place));
        expect(damaged.edges.length + damaged.errors.length).toBeLessThanOrEqual(1);
        const [edge] = damaged.edges;
        // Junk that was taken as part of a value is in that value; no field was dropped on the way.
        if (edge !== undefined) {
          expect(edge.from_resource === null).toBe(!fields.includes("from_resource=a.b"));
          expect(edge.resource === null).toBe(!fields.includes("resource=c.d"));
          expect(edge.trigger === "always").toBe(fields.includes("trigger=always"));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test("hostile lines of a mebibyte take linear time", () => {
    const size = 1_048_576;
    const hostile = [
      '"',
      "\\",
      "${",
      '"${',
      "<<",
      "<<a",
      "<<a ",
      "/*",
      "*/",
      "#",
      " ",
      "{",
      "}",
      "resource ",
      "resource a",
      "a",
    ].flatMap((unit) => {
      const line = unit.repeat(Math.ceil(size / unit.length));
      return [line, `# svc:dependency: ${line}`, `# svc:dependency: from_stack="${line}`, `resource ${line}`];
    });
    const began = performance.now();
    for (const line of hostile) scan(`# svc:dependency: from_stack=net\n${line}`);
    // 64 lines of a mebibyte: seconds at the most on a busy machine, where a quadratic step would take hours.
    expect(performance.now() - began).toBeLessThan(30_000);
  }, 60_000);

  test("an expression that others backtrack on for ever is decided at once", () => {
    const long: CurrentStack = { ...stack, id: `${"a".repeat(99_999)}b` };
    const began = performance.now();
    expect(scan('# svc:dependency: from_stack=net stack_regex="^(a+)+$"', long).edges).toEqual([]);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
