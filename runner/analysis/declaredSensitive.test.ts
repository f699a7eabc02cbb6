import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { declaredSensitive } from "./declaredSensitive.ts";

async function found(files: Record<string, string>, env: Record<string, string> = {}): Promise<string[]> {
  const directory = mkdtempSync(path.join(tmpdir(), "declared-"));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(directory, name), text);
    return (await declaredSensitive(directory, "terraform", env)).map(String);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const DECLARED = `
variable "open" {
  default = "in-the-open"
}
variable "one" { sensitive = true, default = "one-line-value" }
variable "block" {
  description = "not-in-the-way"
  default = {
    login = "in-\\"a\\"-block"
    port  = 123456789
  }
  sensitive   = true
}
variable "text" {
  sensitive = true
  default   = <<-EOT
    first-line-of-it
    second-line-of-it
  EOT
  type = string
}
variable bare {
  sensitive   =   true
  type        = string
}
output "other" { value = "other-value" }
`;

test("defaults of sensitive variables are known, however they are written, and nobody else's", async () => {
  const forms = await found({ "main.tf": DECLARED });
  expect(forms).toEqual(
    expect.arrayContaining(["one-line-value", 'in-"a"-block', "123456789", "first-line-of-it", "second-line-of-it"]),
  );
  for (const text of ["in-the-open", "not-in-the-way", "other-value", "string"]) expect(forms).not.toContain(text);
});

test("so are values of variable files and of the environment", async () => {
  const files = {
    "main.tf": DECLARED,
    "terraform.tfvars": 'open = "open-in-a-file"\nbare = "bare-in-a-file"\nother = "next-in-the-file"\n',
    "x.auto.tfvars.json": '{"block": {"login": ["list-in-a-file"]}, "open": "open-in-json"}',
    "unread.tfvars": 'bare = "of-no-file-read"\n',
  };
  const env = {
    TF_VAR_one: "of-the-environment",
    TF_VAR_open: "open-environment",
    TF_VAR_block: '{ login = "in-hcl-text" }',
  };
  const forms = await found(files, env);
  expect(forms).toEqual(
    expect.arrayContaining(["bare-in-a-file", "list-in-a-file", "of-the-environment", "in-hcl-text"]),
  );
  for (const text of ["open-in-a-file", "next-in-the-file", "open-in-json", "of-no-file-read", "open-environment"])
    expect(forms).not.toContain(text);
});

test.each([
  ["no files", {}],
  ["no sensitive variable", { "main.tf": 'variable "a" { default = "something" }' }],
  ["a block that never ends", { "main.tf": 'variable "a" {\n  sensitive = true\n  default = "' }],
  ["no JSON", { "main.tf": 'variable "a" { sensitive = true }', "terraform.tfvars.json": "{" }],
])("%s give nothing", async (_, files) => {
  expect(await found(files as Record<string, string>)).toEqual([]);
});

test("a megabyte of what looks like the beginning of something takes no time", async () => {
  const began = performance.now();
  for (const text of ['variable "a" {\n', 'default = "', "<<EOT\n", "sensitive = true\n", "1.1.1.1.", "\\\\"]) {
    await found({
      "main.tf": `variable "a" {\n  sensitive = true\n  default = ${text.repeat(1_000_000 / text.length)}`,
    });
  }
  expect(performance.now() - began).toBeLessThan(10_000);
});
