import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { inText, namesBackend } from "./backendBlock.ts";

test.each([
  ["a backend", 'terraform {\n  backend "s3" {\n    bucket = "b"\n  }\n}', true],
  ["on one line", 'terraform { backend "local" { path = "x" } }', true],
  ["a cloud block", "terraform {\r\n  cloud {\r\n  }\r\n}", true],
  [
    "behind providers",
    'terraform {\n  required_providers {\n    a = { source = "x/a" }\n  }\n  backend "gcs" {}\n}',
    true,
  ],
  ["a second terraform block", 'terraform {}\nterraform {\n  backend "http" {}\n}', true],
  ["none", 'terraform {\n  required_version = ">= 1"\n}\nresource "a" "b" {}', false],
  ["commented out", 'terraform {\n  # backend "s3" {}\n  // backend "s3" {}\n  /* backend "s3" {\n  } */\n}', false],
  ["in a string", 'terraform {\n  required_version = "backend {"\n}\nlocals { a = "terraform { backend {" }', false],
  ["in a heredoc", 'locals {\n  a = <<E\nterraform {\n  backend "s3" {\n  }\n}\nE\n}', false],
  [
    "of another block",
    'resource "x" "terraform" {\n  backend {\n  }\n}\nmodule "m" { terraform = { backend = { } } }',
    false,
  ],
  ["as an attribute", "terraform {\n  experiments = [backend]\n}\nlocals {\n  backend = {}\n}", false],
])("%s", (_, text, expected) => expect(inText(text)).toBe(expected));

let directory = "";
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test.each([
  ["JSON", "a.tf.json", '{"terraform": {"backend": {"s3": {}}}}', "terraform", true],
  ["JSON in a list", "a.tf.json", '{"terraform": [{"required_version": "1"}, {"cloud": {}}]}', "terraform", true],
  ["JSON without", "a.tf.json", '{"terraform": {}, "locals": {"backend": 1}}', "terraform", false],
  ["JSON that is none", "a.tf.json", "{", "terraform", false],
  ["a file of the other engine", "a.tofu", 'terraform { backend "s3" {} }', "terraform", false],
  ["a file of its own", "a.tofu", 'terraform { backend "s3" {} }', "tofu", true],
  ["a hidden file", ".a.tf", 'terraform { backend "s3" {} }', "terraform", false],
] as const)("%s", async (_, name, content, tool, expected) => {
  directory = mkdtempSync(path.join(tmpdir(), "backend-"));
  writeFileSync(path.join(directory, name), content);
  writeFileSync(path.join(directory, "main.tf"), 'resource "terraform_data" "x" {}');
  expect(await namesBackend(directory, tool)).toBe(expected);
});
