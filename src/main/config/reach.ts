/** What the service reaches out to: clouds, and addresses in general. */
import * as v from "valibot";
import { openedProjects } from "../../core/cloud/gcp/openedProjects.ts";
import { PROVIDER_TYPES } from "../../core/cloud/providerType.ts";
import {
  baseUrl,
  between,
  cidrs,
  integer,
  port,
  serviceUrl,
  someOf,
  text,
  words,
} from "../../platform/settings/formats.ts";
import { optional, withDefault } from "../../platform/settings/setting.ts";

export const REACH = {
  cloud: {
    providers: withDefault("RUNTIME_PROVIDERS", someOf(PROVIDER_TYPES), PROVIDER_TYPES.join(","), {
      what: "what stacks may get access by: cloud_a is AWS and cloud_b Google Cloud, asked by the service; the others are identities of runs",
      unit: "list",
    }),
    credentialsLifetimeMs: withDefault("SVC_CLOUD_CREDENTIALS_LIFETIME", between(900_000, 43_200_000), "PT1H", {
      what: "how long a run's cloud credentials last; above PT1H roles, service accounts and the service's own identity must allow it",
      unit: "duration, PT15M to PT12H",
    }),
    stsRegion: withDefault("SVC_CLOUD_A_REGION", text(/^[a-z0-9-]{1,50}$/, "a region's name"), "us-east-1", {
      what: "region whose STS is asked for AWS credentials; it decides the partition too",
      unit: "name",
    }),
    stsEndpoint: optional("SVC_CLOUD_A_STS_ENDPOINT", serviceUrl(["https:", "http:"]), {
      what: "address of STS when it is not the region's public one; a private one must be in SVC_EGRESS_ALLOW",
      unit: "URL",
      example: "https://vpce-0123.sts.eu-west-1.vpce.amazonaws.com",
    }),
    iamCredentialsEndpoint: withDefault("SVC_CLOUD_B_IAM_ENDPOINT", baseUrl, "https://iamcredentials.googleapis.com", {
      what: "address of Google's IAM Credentials API; a private one must be in SVC_EGRESS_ALLOW",
      unit: "URL",
    }),
    openedProjects: withDefault("SVC_CLOUD_B_PROJECTS", openedProjects, "", {
      what: "Google Cloud projects whose service accounts an organization's stacks may name, as organization id:project; * for any",
      unit: "list",
    }),
  },
  identity: {
    lifetimeMs: withDefault("SVC_IDENTITY_LIFETIME", between(300_000, 3_600_000), "PT15M", {
      what: "how long a token of a run's identity lasts; it is renewed while the run goes on, and after its end it is good for the rest",
      unit: "duration, PT5M to PT1H",
    }),
    keyRotationMs: withDefault("SVC_IDENTITY_KEY_ROTATION", between(172_800_000, 31_536_000_000), "P30D", {
      what: "how long a key signs identities before the next one does, which is published a day ahead",
      unit: "duration, P2D to P365D",
    }),
  },
  egress: {
    allow: withDefault("SVC_EGRESS_ALLOW", cidrs, "", {
      what: "non-public addresses, CIDR ranges, each with an optional :port, that outbound calls may reach; comma-separated",
      unit: "list",
    }),
    ports: withDefault("SVC_EGRESS_PORTS", v.pipe(words(null, ","), v.array(port)), "80,443,22", {
      what: "ports that outbound calls may use on public addresses",
      unit: "list",
    }),
    perOrg: withDefault("SVC_EGRESS_PER_ORG", integer(1, 1_000), "16", {
      what: "requests of one organization that wait for another system at once, per process; more are 429",
      unit: "requests",
    }),
    atOnce: withDefault("SVC_EGRESS_AT_ONCE", integer(1, 10_000), "128", {
      what: "such requests of all organizations, per process; more are 503",
      unit: "requests",
    }),
  },
};
