/**
 * The HTTP application: what every request passes through, and where the nouns' routes are mounted
 * (docs/rules/api.md#the-api-stays-thin).
 */
import { Hono, type MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import { v7 as uuidv7 } from "uuid";
import { approvalRoutes } from "../../core/approvals/routes.ts";
import type { RuntimeProviders } from "../../core/cloud/provider.ts";
import { cloudRoutes } from "../../core/cloud/routes.ts";
import { contextSecrets } from "../../core/contexts/environment.ts";
import { contextRoutes } from "../../core/contexts/routes.ts";
import { rawCommandRoutes } from "../../core/deployments/rawCommands/routes.ts";
import type { DeploymentRoutesDeps } from "../../core/deployments/route.ts";
import { deploymentRoutes } from "../../core/deployments/routes.ts";
import { driftRoutes } from "../../core/drift/routes.ts";
import type { IdentityIssuer } from "../../core/identity/issuer.ts";
import { wellKnownRoutes } from "../../core/identity/wellKnownRoutes.ts";
import { labelRoutes } from "../../core/labels/routes.ts";
import { lifetimeRoutes } from "../../core/lifetimes/routes.ts";
import { liveRoutes } from "../../core/live/routes.ts";
import { localSourceRoutes } from "../../core/localSources/routes.ts";
import { logsEndpoint } from "../../core/logs/peopleLogRoutes.ts";
import type { LogReading } from "../../core/logs/readLogs.ts";
import { outputsRoutes } from "../../core/outputs/routes.ts";
import { planRoutes } from "../../core/plans/routes.ts";
import { policyRoutes } from "../../core/policies/routes.ts";
import { type PullRequestRoutesDeps, pullRequestRoutes } from "../../core/pullRequests/routes.ts";
import { defaultGroup } from "../../core/runners/defaultGroup.ts";
import { runnerGroupRoutes } from "../../core/runners/runnerGroupRoutes.ts";
import { scheduleRoutes } from "../../core/schedules/routes.ts";
import { stackRoutes } from "../../core/stackLife/routes.ts";
import { stateRoutes } from "../../core/state/routes.ts";
import { type NotificationRoutesDeps, notificationRoutes } from "../../exchange/notifications/routes.ts";
import { type ScmRoutesDeps, scmRoutes } from "../../exchange/scm/routes.ts";
import { inThread } from "../../graph/analysis/thread.ts";
import { dependentRoutes } from "../../graph/cascade/routes.ts";
import { dependencyRoutes } from "../../graph/dependencies/routes.ts";
import { exploreRoutes } from "../../graph/explore/routes.ts";
import { authenticateBy, type CredentialScheme } from "../../http/authenticate.ts";
import { compression } from "../../http/compression.ts";
import type { AppEnv } from "../../http/endpoint.ts";
import { refusalOf, refuseOtherMethods } from "../../http/methods.ts";
import { isVisit, problemPage } from "../../http/problemPage.ts";
import { RequestTurns } from "../../http/requestTurns.ts";
import { securityHeaders } from "../../http/securityHeaders.ts";
import { refuseNulInUrl } from "../../http/validRequest.ts";
import { auditRoutes, installationAuditRoute } from "../../people/audit/routes.ts";
import { permissionRoutes } from "../../people/authorization/permissionRoutes.ts";
import { deviceRoutes } from "../../people/devices/routes.ts";
import { meRoute } from "../../people/me/meRoute.ts";
import { memberRoutes } from "../../people/members/routes.ts";
import { orgRoutes } from "../../people/orgs/routes.ts";
import { roleRoutes } from "../../people/roles/routes.ts";
import { serviceAccountRoutes } from "../../people/serviceAccounts/routes.ts";
import { sessionRoutes } from "../../people/sessions/routes.ts";
import { bindingRoutes } from "../../people/sso/bindingRoutes.ts";
import { identityRoutes } from "../../people/sso/identityRoutes.ts";
import type { SignInParts } from "../../people/sso/openSignIn.ts";
import { proofRoutes } from "../../people/sso/proofRoutes.ts";
import type { OwnsThroughApp, TxtRecords } from "../../people/sso/proofs.ts";
import { ssoRoutes } from "../../people/sso/routes.ts";
import { sourceRoutes } from "../../people/sso/sourceRoutes.ts";
import { personalTokenRoutes } from "../../people/tokens/routes.ts";
import { userRoutes } from "../../people/users/routes.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Reader } from "../../platform/db/client.ts";
import type { SealedObjects } from "../../platform/objects/sealed.ts";
import { NotFoundError, problemResponse, toProblem } from "../../platform/problems/problem.ts";
import { livenessRoute } from "../../platform/telemetry/health.ts";
import type { Logger } from "../../platform/telemetry/log.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import { requestDuration } from "../../platform/telemetry/requestDuration.ts";
import type { Service } from "../../work/service.ts";
import type { Config } from "../config/settings.ts";
import { operatorRoutes } from "../operator/routes.ts";
import { apiReference } from "./apiReference.ts";
import type { ConsoleBundle } from "./consoleBundle.ts";
import { consoleRoutes } from "./consoleRoutes.ts";

export type AppDeps = {
  service: Service;
  /** The explore database; with it away only its own reads fail. */
  explore: Reader;
  config: Pick<Config, "gitAllowProtocol" | "orgDefaults" | "dependencies" | "dispatch" | "database" | "state" | "opa">;
  log: Logger;
  metrics: Metrics;
  /** Absent or null: no spans are made. */
  requestSpans?: MiddlewareHandler | null;
  /** How people and service accounts prove who they are. */
  schemes: readonly CredentialScheme[];
  deployments: Omit<DeploymentRoutesDeps, "service" | "keyring">;
  pullRequests: PullRequestRoutesDeps;
  scm: ScmRoutesDeps;
  notifications: NotificationRoutesDeps;
  /** What stacks may get cloud credentials from. */
  providers: RuntimeProviders;
  /** Who signs identities of runs; null without a public address. */
  issuer: IdentityIssuer | null;
  logs: LogReading;
  /** Where what people upload is kept, and what encrypts it. */
  objects: SealedObjects;
  keyring: Keyring;
  signIn: SignInParts;
  /** Where a domain's proof is looked for. */
  txt: TxtRecords;
  /** What people see in a browser. Absent or null: nothing was built. */
  console?: ConsoleBundle | null;
  /** Who says that an organization of the code host is somebody's own. */
  ownsThroughApp: OwnsThroughApp;
  /** Routes of runners, which authenticate with their own tokens, below /api/v1. */
  runnerRoutes: Hono;
};

/** What no credential stands in: an organization's own things, and what is public. */
const COMPRESSED = /^\/(?:api\/v1\/orgs\/|api$|openapi\.json$)/;

/** Everything the API serves, ready for a server or a test to call. */
export function createApp(deps: AppDeps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const authenticate = authenticateBy(deps.schemes);
  const turns = turnsOf(deps);
  if (deps.requestSpans) app.use(deps.requestSpans);
  app.use(requestDuration(deps.metrics));
  app.use(async (c, next) => {
    const requestId = usableRequestId(c.req.header("x-request-id")) ?? uuidv7();
    c.set("requestId", requestId);
    c.set("authenticate", authenticate);
    c.set("turns", turns);
    c.set("log", deps.log.child({ request_id: requestId }));
    const started = performance.now();
    await next();
    c.res.headers.set("x-request-id", requestId);
    logRequest(deps.log, { method: c.req.method, route: routePath(c, -1), status: c.res.status, requestId, started });
  });
  app.use(securityHeaders(deps.signIn.origin?.origin));
  app.use(compression(COMPRESSED));
  app.use(refuseNulInUrl());
  app.use(refuseOtherMethods(app.routes));
  livenessRoute(app);
  wellKnownRoutes(app, deps.issuer);
  consoleRoutes(app, deps.console ?? null);
  apiReference(app);
  peopleRoutes(app, deps);
  app.route("/api/v1", deps.runnerRoutes);
  const otherMethods = refusalOf(app.routes);
  app.notFound((c) => problemResponse(otherMethods(c.req.path) ?? new NotFoundError(), c.var.requestId));
  app.onError((error, c) => {
    // The path is left out: ids in it are not ours to log, and the route template is in the request's own line.
    if (toProblem(error) === null) c.var.log.error({ err: error }, "a request failed unexpectedly");
    else if ((toProblem(error)?.status ?? 0) >= 500) c.var.log.warn({ err: error }, "a request could not be served");
    return isVisit(c) ? problemPage(error, c.var.requestId) : problemResponse(error, c.var.requestId);
  });
  return app;
}

/** Half of the connections are for reads, and for what nobody had to wait for a turn with. */
function turnsOf({ config, metrics }: AppDeps): RequestTurns {
  const turns = new RequestTurns(Math.ceil(config.database.poolSize / 2));
  metrics.scrape.before(async () => {
    metrics.requestsWaiting.set(turns.waiting);
    return "";
  });
  return turns;
}

/** The routes of people, noun by noun. */
function peopleRoutes(app: Hono<AppEnv>, deps: AppDeps): void {
  const { service, config, metrics, deployments, logs, objects, keyring, signIn } = deps;
  const { db } = service;
  meRoute(app, service, signIn.origin);
  ssoRoutes(app, { ...signIn, db, service, keyring, metrics: deps.metrics, orgDefaults: config.orgDefaults });
  identityRoutes(app, { ...signIn, service });
  sourceRoutes(app, { db, keyring, discovery: signIn.discovery });
  proofRoutes(app, { db, txt: deps.txt, ownsThroughApp: deps.ownsThroughApp });
  sessionRoutes(app, service, signIn.origin);
  deviceRoutes(app, { ...signIn, db });
  personalTokenRoutes(app, service);
  userRoutes(app, service);
  operatorRoutes(app, service);
  orgRoutes(app, service, config.orgDefaults, defaultGroup);
  memberRoutes(app, service, metrics);
  roleRoutes(app, service);
  permissionRoutes(app, db);
  bindingRoutes(app, service);
  auditRoutes(app, service);
  installationAuditRoute(app, service);
  serviceAccountRoutes(app, service);
  stackRoutes(app, service, { allowProtocols: config.gitAllowProtocol });
  dependencyRoutes(app, db, config.dependencies);
  exploreRoutes(app, { main: db, explore: deps.explore });
  cloudRoutes(app, { service, providers: deps.providers, issuer: deps.issuer });
  labelRoutes(app, service);
  contextRoutes(app, { service, keyring });
  runnerGroupRoutes(app, service, config.dispatch);
  deploymentRoutes(app, { service, keyring, ...deployments });
  dependentRoutes(app, { service, headOf: deployments.headOf });
  pullRequestRoutes(app, service, deps.pullRequests);
  scmRoutes(app, { ...deps.scm, service, keyring });
  notificationRoutes(app, { ...deps.notifications, service, keyring });
  driftRoutes(app, service);
  policyRoutes(app, { service, objects, opa: config.opa });
  lifetimeRoutes(app, service);
  scheduleRoutes(app, { service, keyring });
  approvalRoutes(app, service);
  rawCommandRoutes(app, service, deployments.headOf, keyring);
  localSourceRoutes(app, service, deployments.headOf, objects);
  logsEndpoint(app, logs);
  liveRoutes(app, logs);
  planRoutes(app, service.db, objects);
  outputsRoutes(app, { service, keyring });
  stateRoutes(app, {
    ...config.state,
    ...{ service, db, objects },
    compare: (states) => inThread("compareStates", states),
    secretsOf: ({ orgId, labels }) => contextSecrets(db, keyring, { orgId, labels }),
  });
}

/** A caller's own id is echoed when it is short and harmless in a header, a log line and a terminal. */
function usableRequestId(header: string | undefined): string | null {
  return header !== undefined && /^[A-Za-z0-9._-]{1,128}$/.test(header) ? header : null;
}

type Answered = { method: string; route: string; status: number; requestId: string; started: number };

function logRequest(log: Logger, { method, route, status, requestId, started }: Answered): void {
  const line = { request_id: requestId, method, route, status, ms: Math.round(performance.now() - started) };
  // Health checks and polls come every second and say nothing when they go well.
  if (status < 400 && method === "GET") log.debug(line, "request");
  else log.info(line, "request");
}
