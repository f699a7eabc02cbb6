/**
 * AWS: each role of an integration is assumed by a call of its own when a run is accepted
 * (docs/rules/cloud.md#minted-at-accept).
 */
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { renewable } from "../../../platform/cache/renewable.ts";
import type { Egress } from "../../../platform/egress/egress.ts";
import { CloudRefusedError, CloudUnavailableError } from "../errors.ts";
import type { AwsConfig, CloudRole, Minted, MintSubject, RuntimeProvider } from "../provider.ts";
import type { CloudSettings } from "../settings.ts";
import { assertBound } from "./boundRoles.ts";
import { parseAwsConfig, rolesForPreviews } from "./config.ts";
import { egressHandler } from "./egressHandler.ts";
import { externalId, sessionName } from "./sessionName.ts";

/** Answers of STS that no repetition changes. Everything else may be an outage, ours or theirs. */
const REFUSALS = new Set([
  "AccessDenied",
  "AccessDeniedException",
  "MalformedPolicyDocument",
  "MalformedPolicyDocumentException",
  "PackedPolicyTooLarge",
  "PackedPolicyTooLargeException",
  "RegionDisabledException",
  "ValidationError",
]);

/** Answers of STS that the service's own credentials do not work, or not any more. */
const OUTDATED = new Set([
  "ExpiredToken",
  "ExpiredTokenException",
  "InvalidClientTokenId",
  "UnrecognizedClientException",
]);

/**
 * The service's own credentials come the way the AWS SDK finds them. STS itself is reached through the egress client.
 */
export function awsProvider(settings: CloudSettings, egress: Pick<Egress, "request">): RuntimeProvider<AwsConfig> {
  const open = () =>
    new STSClient({
      region: settings.stsRegion,
      maxAttempts: 3,
      requestHandler: egressHandler(egress),
      ...(settings.stsEndpoint === undefined ? {} : { endpoint: settings.stsEndpoint }),
    });
  // A client keeps the credentials it found until they end; those that were taken back before are looked for anew.
  const usingClient = renewable(open, isOutdated);
  return {
    parseConfig: parseAwsConfig,
    assertOpen: ({ roles }) =>
      assertBound(roles, (role, signal) => usingClient((client) => isFree(client, role, signal))),
    forPreview: rolesForPreviews,
    async authenticate(signal) {
      await usingClient((client) => client.send(new GetCallerIdentityCommand({}), { abortSignal: signal }));
    },
    async mint({ roles }, subject, signal) {
      const seconds = Math.floor(settings.credentialsLifetimeMs / 1_000);
      const assumed = await usingClient((client) =>
        Promise.all(roles.map((role) => assume(client, role, subject, seconds, signal))),
      );
      return {
        profiles: Object.fromEntries(assumed.map(({ name, profile }) => [name, profile])),
        expires_at: assumed.map(({ expiresAt }) => expiresAt).sort()[0] as string,
      };
    },
  };
}

/** Also as the reason of an outage that a run is told of. */
function isOutdated(error: unknown): boolean {
  const { name, cause } = error as { name?: unknown; cause?: { name?: unknown } };
  return [name, cause?.name].some((code) => typeof code === "string" && OUTDATED.has(code));
}

/** Whether the role can be assumed by whoever names it: without the id that only we can send for its organization. */
async function isFree(client: STSClient, { role_arn }: CloudRole, signal: AbortSignal): Promise<boolean> {
  const command = new AssumeRoleCommand({ RoleArn: role_arn, RoleSessionName: "external-id-check" });
  const answer = await client.send(command, { abortSignal: signal });
  return answer.Credentials !== undefined;
}

type Assumed = { name: string; profile: Minted["profiles"][string]; expiresAt: string };

async function assume(
  client: STSClient,
  { name, role_arn, inline_policy }: CloudRole,
  subject: MintSubject,
  seconds: number,
  signal: AbortSignal,
): Promise<Assumed> {
  const command = new AssumeRoleCommand({
    RoleArn: role_arn,
    RoleSessionName: sessionName(subject),
    ExternalId: externalId(subject),
    DurationSeconds: seconds,
    ...(inline_policy === undefined ? {} : { Policy: inline_policy }),
  });
  const answer = await client.send(command, { abortSignal: signal }).catch((error: unknown) => {
    throw signal.aborted ? error : assumeFailure(error, name, role_arn);
  });
  const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = answer.Credentials ?? {};
  if (!AccessKeyId || !SecretAccessKey || !SessionToken || !Expiration) {
    throw new CloudUnavailableError("AWS", new Error("the answer has no credentials"));
  }
  return {
    name,
    profile: {
      aws_access_key_id: AccessKeyId,
      aws_secret_access_key: SecretAccessKey,
      aws_session_token: SessionToken,
    },
    expiresAt: Expiration.toISOString(),
  };
}

/** A refusal that asking again does not change, or what may be an outage. */
export function assumeFailure(error: unknown, name: string, arn: string): Error {
  const code = (error as { name?: unknown }).name;
  if (typeof code !== "string" || !REFUSALS.has(code)) return new CloudUnavailableError("AWS", error);
  return new CloudRefusedError(
    `AWS refused to assume the role ${arn} of the profile ${name} (${code}). Check the role's trust policy and the integration.`,
    error,
  );
}
