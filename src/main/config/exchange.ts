/** What is exchanged with code hosts, between stacks, and with notification targets. */
import { MailAddress, mailDomains } from "../../exchange/notifications/mail/mailAddress.ts";
import { smtpUrl } from "../../exchange/notifications/mail/smtpUrl.ts";
import { duration, durations, integer } from "../../platform/settings/formats.ts";
import { optional, withDefault } from "../../platform/settings/setting.ts";

export const EXCHANGE = {
  scm: {
    webhookMaxBytes: withDefault("SVC_SCM_WEBHOOK_MAX_BYTES", integer(65_536, 26_214_400), "5242880", {
      what: "largest delivery of a code host that is read; hosts send up to 25 MiB for pushes of thousands of commits",
      unit: "bytes",
    }),
    maxAttempts: withDefault("SVC_SCM_EVENT_MAX_ATTEMPTS", integer(1, 100), "8", {
      what: "tries of one delivery before it is dead and scm_sync_failed is sent",
      unit: "tries",
    }),
    firstPauseMs: withDefault("SVC_SCM_EVENT_FIRST_PAUSE", duration, "PT5S", {
      what: "pause after a delivery's first failure; tripled with each further one, up to 15 minutes",
      unit: "duration",
    }),
    concurrency: withDefault("SVC_SCM_CONCURRENCY", integer(1, 100), "10", {
      what: "calls to code hosts at once, per worker process, so that one that hangs takes no other work's slots",
      unit: "activities",
    }),
  },
  dependencies: {
    maxOrgEdges: withDefault("SVC_MAX_ORG_EDGES", integer(1, 10_000_000), "200000", {
      what: "dependency edges of one organization; above it cycle status is unknown and no dependent is deployed by itself",
      unit: "edges",
    }),
    maxOrgStackPairs: withDefault("SVC_MAX_ORG_STACK_PAIRS", integer(1, 10_000_000), "200000", {
      what: "pairs of depending stacks in one organization; above it as above",
      unit: "pairs",
    }),
    maxNeighborhoodEdges: withDefault("SVC_MAX_NEIGHBORHOOD_EDGES", integer(1, 10_000_000), "200000", {
      what: "edges of one stack that a read of its dependencies looks at; above it the answer says it is incomplete",
      unit: "edges",
    }),
    maxDirectDependentEdgesPerStack: withDefault(
      "SVC_MAX_DIRECT_DEPENDENT_EDGES_PER_STACK",
      integer(1, 10_000_000),
      "10000",
      {
        what: "edges from one dependent to the stack that was applied; above it the dependent waits for a person",
        unit: "edges",
      },
    ),
    maxDirectDependentEdges: withDefault("SVC_MAX_DIRECT_DEPENDENT_EDGES", integer(1, 10_000_000), "50000", {
      what: "edges of all dependents of the stack that was applied together; above it all of them wait for a person",
      unit: "edges",
    }),
    maxInferredEdgesPerStack: withDefault("SVC_MAX_INFERRED_EDGES_PER_STACK", integer(1, 10_000_000), "5000", {
      what: "edges that are inferred for one dependent stack; further ones are left out",
      unit: "edges",
    }),
    maxResponseEdges: withDefault("SVC_MAX_RESPONSE_EDGES", integer(1, 100_000), "2000", {
      what: "edges in one answer about dependencies",
      unit: "edges",
    }),
    maxPairEdges: withDefault("SVC_MAX_PAIR_EDGES", integer(1, 100_000), "50", {
      what: "edges between the same two stacks in one answer about dependencies",
      unit: "edges",
    }),
  },
  notifications: {
    retrySchedule: withDefault(
      "SVC_NOTIFICATION_RETRY_SCHEDULE",
      durations(20),
      "PT5S,PT1M,PT5M,PT30M,PT2H,PT6H,PT12H,PT24H",
      {
        what: "pauses after a notification's failed attempts, each varied by a tenth; after the last one it is dead",
        unit: "durations, comma-separated",
      },
    ),
    concurrency: withDefault("SVC_NOTIFICATION_CONCURRENCY", integer(1, 1_000), "100", {
      what: "notifications sent at once, per worker process; one organization takes at most half of it",
      unit: "requests",
    }),
    targetConcurrency: withDefault("SVC_NOTIFICATION_TARGET_CONCURRENCY", integer(1, 100), "5", {
      what: "notifications sent at once to one integration, per worker process, so that a silent target delays no other",
      unit: "requests",
    }),
  },
  mail: {
    server: optional("SVC_SMTP_URL", smtpUrl, {
      what: "mail server of the installation: smtps:// is TLS, smtp:// is STARTTLS; user name and password as in any URL",
      unit: "URL",
      example: "smtps://user:password@smtp.example.com:465",
      secret: true,
    }),
    from: optional("SVC_SMTP_FROM", MailAddress, {
      what: "sender of mail through the installation's mail server",
      unit: "address",
      example: "deploy@example.com",
    }),
    domains: withDefault("SVC_SMTP_DOMAINS", mailDomains, "", {
      what: "domains of recipients that organizations may mail to through the installation's mail server; * for any",
      unit: "list",
      example: "example.com",
    }),
  },
};
