/**
 * The direction of imports: down the list of districts, never up, also not by `import type`. The list is the one of
 * docs/architecture.md; a test compares the two and the tree.
 */
import type { ICruiseOptions, IForbiddenRuleType } from "dependency-cruiser";

export const DISTRICTS = ["main", "orchestration", "graph", "exchange", "core", "people", "http", "work", "platform"];

/** The folder `activities` stands at the top beside `workflows` and belongs to orchestration. */
const folders = (district: string) =>
  district === "orchestration" ? "^(src/orchestration|activities)/" : `^src/${district}/`;
const TESTS = "[.]test[.]ts$";

const upward: IForbiddenRuleType[] = DISTRICTS.slice(1).map((district, above) => ({
  name: `${district} imports nothing above it`,
  severity: "error",
  from: { path: folders(district), pathNot: TESTS },
  to: { path: DISTRICTS.slice(0, above + 1).map(folders) },
}));

const LEAVES = "^workflows/(contract|ids|views|activities|jobs)[.]ts$";

export const RULES: IForbiddenRuleType[] = [
  ...upward,
  { name: "no circle of files", severity: "error", from: { pathNot: TESTS }, to: { circular: true } },
  {
    name: "of workflows only what is shared is imported",
    severity: "error",
    from: { path: "^(src|activities|runner)/", pathNot: TESTS },
    to: { path: "^workflows/", pathNot: LEAVES },
  },
  {
    name: "workflows import nothing of the service",
    severity: "error",
    from: { path: "^workflows/", pathNot: TESTS },
    to: { path: "^(src|activities|runner)/" },
  },
  {
    name: "the runner knows the protocol, the comments of dependencies and the platform",
    severity: "error",
    from: { path: "^runner/", pathNot: TESTS },
    to: { path: "^(src|activities|workflows)/", pathNot: "^src/(core/runs|graph/analysis|platform)/" },
  },
  {
    name: "the service starts the runner, and imports nothing of it",
    severity: "error",
    from: { path: "^(src|activities|workflows)/", pathNot: TESTS },
    to: { path: "^runner/" },
  },
  {
    name: "products import no tests and no benches",
    severity: "error",
    from: { path: "^(src|activities|workflows|runner)/", pathNot: TESTS },
    to: { path: "^(test|bench)/" },
  },
];

export const OPTIONS: ICruiseOptions = {
  tsPreCompilationDeps: true,
  doNotFollow: { path: "node_modules" },
  exclude: { path: "node_modules" },
};
