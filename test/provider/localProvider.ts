/**
 * HashiCorp's provider for local files, whose resources really drift, built from its Go module and laid out as a mirror
 * that the engine finds. Built once and kept.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MODULE = "github.com/terraform-providers/terraform-provider-local@v1.4.1-0.20260513075820-3561e410f9fe";
const VERSION = "2.9.0";
const CACHE = join(tmpdir(), "svc-provider-cache");

/** What a configuration begins with that uses it. */
export const REQUIRED = `terraform {
  required_providers {
    local = { source = "demo.test/hashicorp/local", version = "${VERSION}" }
  }
}
`;

/** @returns the CLI configuration that leads to it */
export function localProvider(): string {
  const built = join(CACHE, "terraform-provider-local");
  mkdirSync(CACHE, { recursive: true });
  if (!existsSync(built)) {
    execFileSync("go", ["install", MODULE], { env: { ...process.env, GOBIN: CACHE }, stdio: "inherit" });
  }
  const platform = `${process.platform}_${process.arch === "x64" ? "amd64" : process.arch}`;
  const mirror = join(CACHE, "mirror");
  const place = join(mirror, "demo.test/hashicorp/local", VERSION, platform);
  mkdirSync(place, { recursive: true });
  // A link inside a mirror is not followed.
  copyFileSync(built, join(place, `terraform-provider-local_v${VERSION}`));
  const file = join(CACHE, "terraformrc");
  writeFileSync(
    file,
    `provider_installation {\n  filesystem_mirror {\n    path    = "${mirror}"\n    include = ["demo.test/*/*"]\n  }\n}\n`,
  );
  return file;
}
