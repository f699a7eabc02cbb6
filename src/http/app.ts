/** The HTTP application: what every request passes through, and where the nouns' routes are mounted (design 2, 6.1). */
import { Hono, type MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import { v7 as uuidv7 } from "uuid";
import { auditRoutes, installationAuditRoute } from "../audit/routes.ts";
import { dependentRoutes } from "../cascade/routes.ts";
import type { RuntimeProviders } from "../cloud/provider.ts";
import { cloudRoutes } from "../cloud/routes.ts";
import type { Config } from "../config.ts";
import { contextRoutes } from "../contexts/routes.ts";
import type { Keyring } from "../crypto/keyring.ts";
import type { Db } from "../db/client.ts";
import { dependencyRoutes } from "../dependencies/routes.ts";
import type { DeploymentRoutesDeps } from "../deployments/route.ts";
import { deploymentRoutes } from "../deployments/routes.ts";
import { exploreRoutes } from "../explore/routes.ts";
import { labelRoutes } from "../labels/routes.ts";
import { localSourceRoutes } from "../localSources/routes.ts";
import { meRoute } from "../members/meRoute.ts";
import { memberRoutes } from "../members/routes.ts";
import { type NotificationRoutesDeps, notificationRoutes } from "../notifications/routes.ts";
import type { SealedObjects } from "../objects/sealed.ts";
import { operatorRoutes } from "../operator/routes.ts";
import { orgRoutes } from "../orgs/routes.ts";
import { planRoutes } from "../plans/routes.ts";
import { type PullRequestRoutesDeps, pullRequestRoutes } from "../pullRequests/routes.ts";
import { rawCommandRoutes } from "../rawCommands/routes.ts";
import { roleRoutes } from "../roles/routes.ts";
import { defaultGroup } from "../runners/defaultGroup.ts";
import { runnerGroupRoutes } from "../runners/peopleRoutes.ts";
import { logsEndpoint } from "../runs/logsEndpoint.ts";
import type { LogReading } from "../runs/logsRoute.ts";
import { type ScmRoutesDeps, scmRoutes } from "../scm/routes.ts";
import type { Service } from "../service.ts";
import { serviceAccountRoutes } from "../serviceAccounts/routes.ts";
import { sessionRoutes } from "../sessions/routes.ts";
import { bindingRoutes } from "../sso/bindingRoutes.ts";
import { identityRoutes } from "../sso/identityRoutes.ts";
import type { SignInParts } from "../sso/openSignIn.ts";
import { ssoRoutes } from "../sso/routes.ts";
import { sourceRoutes } from "../sso/sourceRoutes.ts";
import { stackRoutes } from "../stacks/routes.ts";
import type { ReadinessCheck } from "../telemetry/health.ts";
import { healthRoutes } from "../telemetry/health.ts";
import type { Logger } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { requestDuration } from "../telemetry/requestDuration.ts";
import { personalTokenRoutes } from "../tokens/routes.ts";
import { userRoutes } from "../users/routes.ts";
import { authenticateBy, type CredentialScheme } from "./authenticate.ts";
import type { AppEnv } from "./endpoint.ts";
import { pageLinks } from "./pageLinks.ts";
import { NotFoundError, problemResponse, toProblem } from "./problem.ts";
import { isVisit, problemPage } from "./problemPage.ts";
import { refuseNulInUrl } from "./validRequest.ts";

export type AppDeps = {
  service: Service;
  /** The explore database; with it away only its own reads fail. */
  explore: Db;
  config: Pick<Config, "gitAllowProtocol" | "orgDefaults" | "dependencies" | "dispatch">;
  log: Logger;
  metrics: Metrics;
  /** Absent or null: no spans are made. */
  requestSpans?: MiddlewareHandler | null;
  /** What /readyz asks. Temporal is not among them: with it away the API still serves (design 2 rule 10). */
  readiness: Record<string, ReadinessCheck>;
  /** How people and service accounts prove who they are. */
  schemes: readonly CredentialScheme[];
  deployments: Omit<DeploymentRoutesDeps, "service" | "keyring">;
  pullRequests: PullRequestRoutesDeps;
  scm: ScmRoutesDeps;
  notifications: NotificationRoutesDeps;
  /** What stacks may get cloud credentials from. */
  providers: RuntimeProviders;
  logs: LogReading;
  /** Where what people upload is kept, and what encrypts it. */
  objects: SealedObjects;
  keyring: Keyring;
  signIn: SignInParts;
  /** Routes of runners, which authenticate with their own tokens, below /api/v1. */
  runnerRoutes: Hono;
};

/** Everything the API serves, ready for a server or a test to call. */
export function createApp(deps: AppDeps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const authenticate = authenticateBy(deps.schemes);
  if (deps.requestSpans) app.use(deps.requestSpans);
  app.use(requestDuration(deps.metrics));
  app.use(async (c, next) => {
    const requestId = usableRequestId(c.req.header("x-request-id")) ?? uuidv7();
    c.set("requestId", requestId);
    c.set("authenticate", authenticate);
    c.set("log", deps.log.child({ request_id: requestId }));
    const started = performance.now();
    await next();
    c.res.headers.set("x-request-id", requestId);
    logRequest(deps.log, { method: c.req.method, route: routePath(c, -1), status: c.res.status, requestId, started });
  });
  app.use(refuseNulInUrl());
  app.route("/", healthRoutes(deps.readiness, deps.metrics.scrape));
  pageLinks(app);
  peopleRoutes(app, deps);
  app.route("/api/v1", deps.runnerRoutes);
  app.notFound((c) => problemResponse(new NotFoundError(), c.var.requestId));
  app.onError((error, c) => {
    // The path is left out: ids in it are not ours to log, and the route template is in the request's own line.
    if (toProblem(error) === null) c.var.log.error({ err: error }, "a request failed unexpectedly");
    else if ((toProblem(error)?.status ?? 0) >= 500) c.var.log.warn({ err: error }, "a request could not be served");
    return isVisit(c) ? problemPage(error, c.var.requestId) : problemResponse(error, c.var.requestId);
  });
  return app;
}

/** The routes of people, noun by noun. */
function peopleRoutes(app: Hono<AppEnv>, deps: AppDeps): void {
  const { service, config, metrics, deployments, logs, objects, keyring, signIn } = deps;
  const { db } = service;
  meRoute(app, service, signIn.origin);
  ssoRoutes(app, { ...signIn, db, service, keyring, metrics: deps.metrics, orgDefaults: config.orgDefaults });
  identityRoutes(app, { ...signIn, service });
  sourceRoutes(app, { db, keyring, discovery: signIn.discovery });
  sessionRoutes(app, service, signIn.origin);
  personalTokenRoutes(app, service);
  userRoutes(app, service);
  operatorRoutes(app, service);
  orgRoutes(app, service, config.orgDefaults, defaultGroup);
  memberRoutes(app, service, metrics);
  roleRoutes(app, service);
  bindingRoutes(app, service);
  auditRoutes(app, service);
  installationAuditRoute(app, service);
  serviceAccountRoutes(app, service);
  stackRoutes(app, service, { allowProtocols: config.gitAllowProtocol });
  dependencyRoutes(app, db, config.dependencies);
  exploreRoutes(app, { main: db, explore: deps.explore });
  cloudRoutes(app, { service, providers: deps.providers });
  labelRoutes(app, service);
  contextRoutes(app, { service, keyring });
  runnerGroupRoutes(app, service, config.dispatch);
  deploymentRoutes(app, { service, keyring, ...deployments });
  dependentRoutes(app, { service, headOf: deployments.headOf });
  pullRequestRoutes(app, service, deps.pullRequests);
  scmRoutes(app, { ...deps.scm, service, keyring });
  notificationRoutes(app, { ...deps.notifications, service, keyring });
  rawCommandRoutes(app, service, deployments.headOf, keyring);
  localSourceRoutes(app, service, deployments.headOf, objects);
  logsEndpoint(app, logs);
  planRoutes(app, service.db, objects);
}

/** A caller's own id is echoed when it is short and harmless in a header, a log line and a terminal. */
function usableRequestId(given: string | undefined): string | null {
  return given !== undefined && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : null;
}

type Answered = { method: string; route: string; status: number; requestId: string; started: number };

function logRequest(log: Logger, { method, route, status, requestId, started }: Answered): void {
  const line = { request_id: requestId, method, route, status, ms: Math.round(performance.now() - started) };
  // Health checks and polls come every second and say nothing when they go well.
  if (status < 400 && method === "GET") log.debug(line, "request");
  else log.info(line, "request");
}
