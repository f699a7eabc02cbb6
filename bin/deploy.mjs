#!/usr/bin/env node
// The npm bin `deploy`: what `npm run cli:build` has made, or else the sources.
import { existsSync } from "node:fs";
import Module from "node:module";

const built = new URL("../dist/cli/deploy.mjs", import.meta.url);
Module.enableCompileCache?.();
await import(existsSync(built) ? built.href : new URL("../cli/main.ts", import.meta.url).href);
