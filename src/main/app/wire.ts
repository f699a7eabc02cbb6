/** Puts the application together: the API, the benches, the tests and the document have one wiring. */
import type { Hono } from "hono";
import { cloudAccess, renewedIdentities } from "../../core/cloud/cloudAccess.ts";
import { openRuntimeProviders } from "../../core/cloud/openProviders.ts";
import { preflightOf } from "../../core/cloud/preflight.ts";
import { contextEnvironment } from "../../core/contexts/environment.ts";
import type { HeadOf } from "../../core/deployments/head.ts";
import type { BatchSender } from "../../core/deployments/submitBatch.ts";
import type { DecisionSender } from "../../core/deployments/submitDecision.ts";
import type { Dispatcher } from "../../core/dispatch/dispatcher.ts";
import { type IdentityIssuer, identityIssuer } from "../../core/identity/issuer.ts";
import { SigningKeys } from "../../core/identity/signingKeys.ts";
import { type LogReading, logReading } from "../../core/logs/readLogs.ts";
import { GroupKeys } from "../../core/runnerIdentity/keys.ts";
import type { ContextSources } from "../../core/runnerProtocol/context.ts";
import type { RunnerDeps } from "../../core/runnerProtocol/deps.ts";
import { runnerProtocolRoutes } from "../../core/runnerProtocol/protocolRoutes.ts";
import { GroupAddresses } from "../../core/runners/groupAddresses.ts";
import { installationMail } from "../../exchange/notifications/mail/installationMail.ts";
import { headFrom } from "../../exchange/scm/headFrom.ts";
import { IntegrationHealth } from "../../exchange/scm/host/health.ts";
import { type Hosts, openHosts } from "../../exchange/scm/host/hosts.ts";
import { ownsThroughApp } from "../../exchange/scm/host/ownApp.ts";
import { commitHost } from "../../exchange/scm/host/ports.ts";
import { refreshInbox } from "../../exchange/scm/inbox.ts";
import { cloneCredentials } from "../../exchange/scm/source.ts";
import { webhookBodies } from "../../exchange/scm/webhookBody.ts";
import type { CredentialScheme } from "../../http/authenticate.ts";
import { clientKey } from "../../http/clientAddress.ts";
import type { AppEnv } from "../../http/endpoint.ts";
import { FailureLimit } from "../../http/failureLimit.ts";
import { apiOf } from "../../people/sso/codehost.ts";
import { openSignIn } from "../../people/sso/openSignIn.ts";
import type { Db } from "../../platform/db/client.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import { txtRecords } from "../../platform/egress/txtRecords.ts";
import { aside } from "../../platform/turns/turn.ts";
import type { Service } from "../../work/service.ts";
import type { Config } from "../config/settings.ts";
import { type AppDeps, createApp } from "./app.ts";
import { asideEgress, asideSender } from "./asides.ts";
import { credentialSchemes } from "./credentialSchemes.ts";
import { workflowPages } from "./workflowPages.ts";

/** What its caller has opened, and closes afterwards. */
export type Given<S extends Service> = Pick<
  AppDeps,
  "explore" | "keyring" | "objects" | "metrics" | "log" | "requestSpans" | "console"
> & {
  /** Its `db` is the pool of people's routes. */
  service: S;
  /** The runner routes' own pool, so that people's traffic cannot starve runners. Absent: the same. */
  runnerDb?: Db;
  /** Looks for runs in the runner routes' pool. */
  dispatcher: Dispatcher;
  /** Where people's decisions go. */
  sender: DecisionSender & BatchSender;
  egress: Egress;
};

/** What a test may put in the place of a part. */
export type Replaced = Pick<Service, "preflight"> & {
  headOf?: HeadOf;
  pullRequests?: AppDeps["pullRequests"];
  scm?: Partial<AppDeps["scm"]>;
  notifications?: Partial<AppDeps["notifications"]>;
  sources?: Partial<ContextSources>;
  /** Asked before the product's own. */
  schemes?: readonly CredentialScheme[];
  workspaceIssuer?: string;
  txt?: AppDeps["txt"];
  ownsThroughApp?: AppDeps["ownsThroughApp"];
};

export type Wired<S extends Service> = {
  app: Hono<AppEnv>;
  /** The given one, with the check of cloud credentials before people's deployments. */
  service: S;
  runners: RunnerDeps;
  logs: LogReading;
};

/** Connects to nothing but a workspace's sign-in provider, when the configuration names one. */
export async function wire<S extends Service>(
  config: Config,
  given: Given<S>,
  replaced: Replaced = {},
): Promise<Wired<S>> {
  const { objects, keyring, metrics, log } = given;
  const egress = asideEgress(given.egress);
  const { db, lists = db } = given.service;
  const identities = issuerOf(config, given);
  const providers = openRuntimeProviders(config.cloud, egress, identities !== null);
  const service = { ...given.service, preflight: replaced.preflight ?? preflightOf(db, providers) };
  const hosts = openHosts({ egress, keyring, health: new IntegrationHealth(db) });
  const { workspaceIssuer } = replaced;
  const issuer = workspaceIssuer === undefined ? {} : { workspaceIssuer };
  const signIn = await openSignIn({ config, db, keyring, egress, metrics, log, ...issuer });
  const logs = logReading({ db, lists, objects, keyring, graceMs: config.runnerTokenGraceMs }, (error) =>
    log.warn({ err: error }, "an event stream broke off"),
  );
  const runners = runnerParts(config, { ...given, service }, { hosts, providers, issuer: identities, replaced });
  const headOf = replaced.headOf ?? headFrom(config, { db, egress, hosts });
  const app = createApp({
    ...given,
    service,
    config,
    schemes: [...(replaced.schemes ?? []), ...credentialSchemes(db, signIn.origin)],
    deployments: {
      sender: asideSender(given.sender),
      headOf: (...asked) => aside(() => headOf(...asked)),
      decisionDeadlineMs: config.decisionDeadlineMs,
      workflowPage: workflowPages(config.temporalUiUrl, config.temporal.namespace),
    },
    pullRequests: replaced.pullRequests ?? { host: commitHost(db, hosts), inbox: refreshInbox },
    scm: {
      hosts,
      checkHost: (orgId, ...asked) => egress.through(orgId, () => egress.checkHost(...asked)),
      publicBaseUrl: config.publicBaseUrl,
      bodies: webhookBodies(config.scm.webhookMaxBytes),
      senders: {
        limit: new FailureLimit(config.badCredentialsPerMinute),
        addressOf: (c) => clientKey(c, config.trustedProxies),
      },
      ...replaced.scm,
    },
    notifications: { egress, mail: installationMail(config.mail), ...replaced.notifications },
    providers,
    issuer: identities,
    logs,
    signIn,
    txt: replaced.txt ?? txtRecords,
    ownsThroughApp:
      replaced.ownsThroughApp ??
      ((...asked) => ownsThroughApp({ db, keyring, egress }, apiOf(config.signIn.codehostBaseUrl), ...asked)),
    runnerRoutes: runnerProtocolRoutes(runners),
  });
  return { app, service, runners, logs };
}

/** Null where there is no address at which verifiers could ask for the keys. */
function issuerOf(
  { publicBaseUrl, identity }: Config,
  { service, runnerDb: db = service.db, keyring }: Given<Service>,
): IdentityIssuer | null {
  if (publicBaseUrl === undefined) return null;
  return identityIssuer(publicBaseUrl, new SigningKeys({ db, keyring }), identity.lifetimeMs);
}

type Opened = { hosts: Hosts; providers: AppDeps["providers"]; issuer: IdentityIssuer | null; replaced: Replaced };

function runnerParts(
  config: Config,
  given: Given<Service>,
  { hosts, providers, issuer, replaced }: Opened,
): RunnerDeps {
  const { service, runnerDb: db = service.db, dispatcher, objects, keyring, metrics } = given;
  const own = db === service.db ? service : { ...service, db };
  return {
    service: own,
    keys: new GroupKeys(db, new FailureLimit(config.badCredentialsPerMinute)),
    addresses: new GroupAddresses(own),
    trustedProxies: config.trustedProxies,
    dispatcher,
    limits: config.dispatch,
    objects,
    keyring,
    sources: {
      environment: (subject) => contextEnvironment(db, keyring, subject),
      cloudAccess: (subject, signal) => cloudAccess({ db, providers, issuer }, subject, signal),
      identities: (subject) => renewedIdentities({ db, providers, issuer }, subject),
      scmCredentials: async ({ orgId, repositoryUrl, isForeign }) =>
        repositoryUrl === null ? null : cloneCredentials(db, hosts, { orgId, repositoryUrl, isForeign }),
      ...replaced.sources,
    },
    metrics,
    graceMs: config.runnerTokenGraceMs,
    artifactBytes: config.artifactMaxBytes,
    treeBytes: config.treeMaxBytes,
    logBytesPerRun: config.quotas.logBytes,
    artifactBytesPerRun: config.quotas.artifactBytes,
    ...config.state,
  };
}
