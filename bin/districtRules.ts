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

/** Rooms of the console, from what knows everything to what knows nothing of the others. */
export const CONSOLE_ROOMS = ["pages", "shell", "plan", "log", "ui", "data"];

const consoleUpward: IForbiddenRuleType[] = CONSOLE_ROOMS.map((room, above) => ({
  name: `console/${room} imports nothing above it`,
  severity: "error",
  from: { path: `^console/src/${room}/`, pathNot: TESTS },
  to: { path: ["^console/src/[^/]+$", ...CONSOLE_ROOMS.slice(0, above).map((name) => `^console/src/${name}/`)] },
}));

export const RULES: IForbiddenRuleType[] = [
  ...upward,
  ...consoleUpward,
  {
    name: "a page of the console knows no other page",
    severity: "error",
    from: { path: "^console/src/pages/([^/]+)/", pathNot: TESTS },
    to: { path: "^console/src/pages/", pathNot: "^console/src/pages/$1/" },
  },
  {
    name: "clients know the service by its document alone",
    severity: "error",
    from: { path: "^(clients|console|cli)/", pathNot: TESTS },
    to: { path: "^(src|activities|workflows|runner|test|bench)/" },
  },
  {
    name: "the service serves the console, and imports nothing of it",
    severity: "error",
    from: { path: "^(src|activities|workflows|runner)/", pathNot: TESTS },
    to: { path: "^(clients|console|cli)/" },
  },
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
  exclude: { path: "node_modules|console/(dist|[.]building)/" },
};
