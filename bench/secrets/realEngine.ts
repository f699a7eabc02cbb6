/** What a real engine prints of many secrets at once: plan, apply with outputs and programs, its JSON, its lines. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formsOf } from "../../runner/output/engineForms.ts";
import { StreamMasker } from "../../runner/output/masking.ts";
import { collectSensitive } from "../../runner/output/sensitiveValues.ts";
import { findsIn } from "./oracle.ts";
import { KINDS, numbersFrom, one } from "./values.ts";

/** Nothing is marked sensitive, as when a provider lost the marks: the engine hides none of it by itself. */
const CONFIGURATION = `
variable "secrets" { type = map(string) }
resource "terraform_data" "each" {
  for_each = var.secrets
  input    = { plain = each.value, json = jsonencode({ login = each.value }), yaml = yamlencode({ login = each.value }) }
  provisioner "local-exec" {
    command     = "printf '%s\\n' \\"$SECRET\\""
    environment = { SECRET = each.value }
  }
}
output "plain"    { value = var.secrets }
output "json"     { value = { for name, text in var.secrets : name => jsonencode({ login = text }) } }
output "twice"    { value = { for name, text in var.secrets : name => jsonencode({ file = jsonencode({ login = text }) }) } }
output "yaml"     { value = { for name, text in var.secrets : name => yamlencode({ login = text }) } }
output "heredoc"  { value = { for name, text in var.secrets : name => <<-EOT
  user: somebody
  password: \${text}
  EOT
} }
output "base64"   { value = { for name, text in var.secrets : name => base64encode("user:\${text}") } }
output "url"      { value = { for name, text in var.secrets : name => urlencode(text) } }
output "quoted"   { value = { for name, text in var.secrets : name => format("%q", text) } }
output "wide"     { value = { for name, text in var.secrets : name => textencodebase64(text, "UTF-16LE") } }
`;

/** Base64 of JSON, and what is in it. */
const DEPTH = 2;

export type RealFigures = { secrets: number; bytes: number; told: number; hits: string[] };

/** @param terraform the program */
export function realRounds(terraform: string, folder: string, seed: number, count: number): RealFigures {
  const random = numbersFrom(seed);
  const kinds = Object.keys(KINDS).filter((kind) => kind !== "long");
  // An environment's value ends at a zero byte, and an engine wants whole characters: none of the kinds has others.
  const secrets = new Map(
    Array.from({ length: count }, (_, at) => [`s${at}`, KINDS[one(random, kinds)]?.(random) ?? ""] as const),
  );
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "main.tf"), CONFIGURATION);
  writeFileSync(join(folder, "cli.tfrc"), "disable_checkpoint = true\n");
  writeFileSync(join(folder, "values.auto.tfvars.json"), JSON.stringify({ secrets: Object.fromEntries(secrets) }));
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    TF_CLI_CONFIG_FILE: join(folder, "cli.tfrc"),
    CHECKPOINT_DISABLE: "1",
    TF_IN_AUTOMATION: "1",
    TF_INPUT: "0",
  };
  const engine = (...args: string[]) =>
    execFileSync(terraform, args, { cwd: folder, env, encoding: "utf8", maxBuffer: 2 ** 28 });
  engine("init", "-no-color");
  const printed = [
    engine("plan", "-no-color", "-out=plan.bin"),
    engine("show", "-json", "plan.bin"),
    engine("apply", "-no-color", "plan.bin"),
    engine("output", "-no-color"),
    engine("output", "-json"),
    engine("show", "-json"),
    engine("show", "-no-color"),
    engine("plan", "-json", "-destroy"),
    engine("plan", "-no-color", "-destroy"),
  ].join("\n");
  const all = [...secrets.values()];
  const texts = new Set<string>();
  collectSensitive(all, true, texts);
  const masker = new StreamMasker(formsOf(texts));
  const masked = Buffer.concat([masker.push(Buffer.from(printed)), masker.end()]).toString("utf8");
  const told = all.filter(findsIn(printed, DEPTH)).length;
  return { secrets: count, bytes: printed.length, told, hits: all.filter(findsIn(masked, DEPTH)) };
}
