/** An address of every page of the console, with something of its kind. */

export type Shown = { org: string; stack: string; deployment: string };

/** Those of an organization, below its own address; the tests compare them with the routes. */
export function orgPages({ stack, deployment }: Shown): string[] {
  const ofStack = [
    ...["", "/queue", "/pull-requests", "/dependencies", "/resources", "/state", "/outputs", "/drift"],
    ...["/schedules", "/activity", "/settings"],
  ];
  const ofDeployment = ["changes", "text", "log", "events", "dependents", "json"];
  const ofPeople = ["members", "invitations", "roles", "accounts", "sign-in", "domains"];
  return [
    "",
    "/deployments",
    "/stacks",
    ...ofStack.map((tab) => `/stacks/${stack}${tab}`),
    ...ofDeployment.map((tab) => `/stacks/${stack}/deployments/${deployment}?tab=${tab}`),
    "/graph",
    "/resources",
    "/resources?tab=findings",
    "/drift",
    "/runners",
    "/contexts",
    "/policies",
    "/code-hosts",
    "/notifications",
    ...ofPeople.map((tab) => `/people?tab=${tab}`),
    "/audit",
    "/settings",
  ];
}

/** Those of whoever is signed in, and of the installation. */
const OWN_PAGES = [
  "/",
  "/me",
  "/me?tab=sessions",
  "/me?tab=identities",
  "/admin",
  "/admin?tab=people",
  "/admin?tab=audit",
];

export function allPages(shown: Shown): string[] {
  return [...OWN_PAGES, ...orgPages(shown).map((path) => `/orgs/${shown.org}${path}`)];
}
