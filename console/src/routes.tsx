/**
 * Every address of the console. Each page is a chunk of its own, loaded when it is first gone to. A page is added here,
 * in `shell/pages.ts` where the navigation shows it, and as `pages/<noun>/Page.tsx` (docs/console.md#adding-a-page).
 */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent as lazy,
  Outlet,
  redirect,
  useLocation,
} from "@tanstack/react-router";
import { BASE_PATH } from "./data/base.ts";
import { meQuery } from "./data/me.ts";
import { queryClient } from "./data/queryClient.ts";
import { Broken, NotFound } from "./shell/Broken.tsx";
import { Frame } from "./shell/Frame.tsx";
import { parseSearch, stringifySearch, textSearch } from "./shell/search.ts";
import { Loading } from "./ui/states.tsx";

const SIGN_IN = "/sign-in";

/** All but signing in is for who is signed in, and comes back to where it was asked for. */
const root = createRootRoute({
  beforeLoad: async ({ location }) => {
    if (location.pathname.startsWith(SIGN_IN)) return;
    const me = await queryClient.ensureQueryData(meQuery());
    if (me === null) throw redirect({ to: SIGN_IN, search: { return_to: location.href } });
  },
  component: () => (useLocation().pathname.startsWith(SIGN_IN) ? <Outlet /> : <Frame />),
  notFoundComponent: NotFound,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: textSearch("return_to", "org"),
  component: lazy(() => import("./pages/signIn/Page.tsx")),
});
const signedInElsewhere = createRoute({
  getParentRoute: () => root,
  path: "/sign-in/done",
  component: lazy(() => import("./pages/signIn/Done.tsx")),
});

const orgs = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: lazy(() => import("./pages/orgs/Page.tsx")),
});
const me = createRoute({
  getParentRoute: () => root,
  path: "/me",
  validateSearch: textSearch("tab"),
  component: lazy(() => import("./pages/me/Page.tsx")),
});
const admin = createRoute({
  getParentRoute: () => root,
  path: "/admin",
  validateSearch: textSearch("tab", "q", "state", "id", "dialog"),
  component: lazy(() => import("./pages/admin/Page.tsx")),
});
const org = createRoute({ getParentRoute: () => root, path: "/orgs/$org" });
const home = createRoute({
  getParentRoute: () => org,
  path: "/",
  component: lazy(() => import("./pages/home/Page.tsx")),
});
const deployments = createRoute({
  getParentRoute: () => org,
  path: "deployments",
  validateSearch: textSearch("status", "mode", "origin", "labels", "commit", "by", "since", "until", "mine"),
  component: lazy(() => import("./pages/deployments/Page.tsx")),
});
const stacks = createRoute({
  getParentRoute: () => org,
  path: "stacks",
  validateSearch: textSearch("search", "labels", "status", "sort", "dialog"),
  component: lazy(() => import("./pages/stacks/Page.tsx")),
});
const stack = createRoute({
  getParentRoute: () => org,
  path: "stacks/$stack",
  validateSearch: textSearch("dialog"),
  component: lazy(() => import("./pages/stack/Page.tsx")),
});
const stackDeployments = createRoute({
  getParentRoute: () => stack,
  path: "/",
  validateSearch: textSearch("status", "mode", "origin"),
  component: lazy(() => import("./pages/stack/Deployments.tsx")),
});
const stackQueue = createRoute({
  getParentRoute: () => stack,
  path: "queue",
  component: lazy(() => import("./pages/stack/Queue.tsx")),
});
const stackPullRequests = createRoute({
  getParentRoute: () => stack,
  path: "pull-requests",
  component: lazy(() => import("./pages/stack/PullRequests.tsx")),
});
const stackDependencies = createRoute({
  getParentRoute: () => stack,
  path: "dependencies",
  component: lazy(() => import("./pages/stack/Dependencies.tsx")),
});
const stackResources = createRoute({
  getParentRoute: () => stack,
  path: "resources",
  validateSearch: textSearch("search", "type"),
  component: lazy(() => import("./pages/stack/Resources.tsx")),
});
const stackState = createRoute({
  getParentRoute: () => stack,
  path: "state",
  validateSearch: textSearch("to", "from"),
  component: lazy(() => import("./pages/stack/State.tsx")),
});
const stackOutputs = createRoute({
  getParentRoute: () => stack,
  path: "outputs",
  component: lazy(() => import("./pages/stack/Outputs.tsx")),
});
const stackDrift = createRoute({
  getParentRoute: () => stack,
  path: "drift",
  component: lazy(() => import("./pages/stack/Drift.tsx")),
});
const stackSchedules = createRoute({
  getParentRoute: () => stack,
  path: "schedules",
  component: lazy(() => import("./pages/stack/Schedules.tsx")),
});
const stackSettings = createRoute({
  getParentRoute: () => stack,
  path: "settings",
  component: lazy(() => import("./pages/stack/Settings.tsx")),
});
const stackActivity = createRoute({
  getParentRoute: () => stack,
  path: "activity",
  component: lazy(() => import("./pages/stack/Activity.tsx")),
});
const deployment = createRoute({
  getParentRoute: () => org,
  path: "stacks/$stack/deployments/$id",
  validateSearch: textSearch("tab", "plan", "filter", "kinds", "group", "search"),
  component: lazy(() => import("./pages/deployment/Page.tsx")),
});
const graph = createRoute({
  getParentRoute: () => org,
  path: "graph",
  validateSearch: textSearch("labels", "stack", "view"),
  component: lazy(() => import("./pages/graph/Page.tsx")),
});
const resources = createRoute({
  getParentRoute: () => org,
  path: "resources",
  validateSearch: textSearch("tab", "search", "type", "stack"),
  component: lazy(() => import("./pages/resources/Page.tsx")),
});
const drift = createRoute({
  getParentRoute: () => org,
  path: "drift",
  validateSearch: textSearch("status"),
  component: lazy(() => import("./pages/drift/Page.tsx")),
});
const runners = createRoute({
  getParentRoute: () => org,
  path: "runners",
  validateSearch: textSearch("group", "dialog"),
  component: lazy(() => import("./pages/runners/Page.tsx")),
});
const contexts = createRoute({
  getParentRoute: () => org,
  path: "contexts",
  validateSearch: textSearch("context", "dialog"),
  component: lazy(() => import("./pages/contexts/Page.tsx")),
});
const policies = createRoute({
  getParentRoute: () => org,
  path: "policies",
  validateSearch: textSearch("policy", "dialog"),
  component: lazy(() => import("./pages/policies/Page.tsx")),
});
const codeHosts = createRoute({
  getParentRoute: () => org,
  path: "code-hosts",
  validateSearch: textSearch("integration", "state", "event", "dialog"),
  component: lazy(() => import("./pages/codeHosts/Page.tsx")),
});
const notifications = createRoute({
  getParentRoute: () => org,
  path: "notifications",
  validateSearch: textSearch("integration", "state", "event", "dialog"),
  component: lazy(() => import("./pages/notifications/Page.tsx")),
});
const people = createRoute({
  getParentRoute: () => org,
  path: "people",
  validateSearch: textSearch("tab", "search", "id", "dialog"),
  component: lazy(() => import("./pages/people/Page.tsx")),
});
const audit = createRoute({
  getParentRoute: () => org,
  path: "audit",
  validateSearch: textSearch("actor", "action", "type", "resource", "since", "until"),
  component: lazy(() => import("./pages/audit/Page.tsx")),
});
const settings = createRoute({
  getParentRoute: () => org,
  path: "settings",
  validateSearch: textSearch("dialog"),
  component: lazy(() => import("./pages/settings/Page.tsx")),
});

const ofStack = [
  stackDeployments,
  stackQueue,
  stackPullRequests,
  stackDependencies,
  stackResources,
  stackState,
  stackOutputs,
  stackDrift,
  stackSchedules,
  stackSettings,
  stackActivity,
] as const;
const ofOrg = [
  home,
  deployments,
  stacks,
  stack.addChildren(ofStack),
  deployment,
  graph,
  resources,
  drift,
  runners,
  contexts,
  policies,
  codeHosts,
  notifications,
  people,
  audit,
  settings,
] as const;
const tree = root.addChildren([signIn, signedInElsewhere, orgs, me, admin, org.addChildren(ofOrg)]);

export const router = createRouter({
  routeTree: tree,
  basepath: BASE_PATH === "" ? "/" : BASE_PATH,
  parseSearch,
  stringifySearch,
  defaultPreload: "intent",
  defaultErrorComponent: Broken,
  defaultPendingComponent: () => <Loading lines={6} />,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
