/**
 * Policies that `opa` 1.22.3 has compiled, so that the tests need none. Each is made again by
 * `opa build -t wasm -e deploy -o NAME.tar.gz NAME.rego` in the folder of this name.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FOLDER = new URL("./policies/", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, FOLDER));

/** The example of docs/policies.md. */
export const REGO = read("deploy.rego").toString("utf8");
export const BUNDLE = read("deploy.tar.gz");
/** Never ends, asks for all memory, calls the network, answers with something else: each what its name says. */
export const endless = () => read("endless.tar.gz");
export const greedy = () => read("greedy.tar.gz");
export const networked = () => read("networked.tar.gz");
export const odd = () => read("odd.tar.gz");

/** In the place of `opa`: "compiles" every source into the bundle above. */
export const STAND_IN = fileURLToPath(new URL("opa.sh", FOLDER));
