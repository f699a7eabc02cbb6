/** What a cloud's answer means for a run: refused for good, or to be asked again. */
import { gaxios } from "google-auth-library";
import { describe, expect, it } from "vitest";
import { EgressAnswerError } from "../../platform/egress/errors.ts";
import { assumeFailure } from "./aws/provider.ts";
import { CloudRefusedError, CloudUnavailableError } from "./errors.ts";
import { tokenFailure } from "./gcp/provider.ts";

const ARN = "arn:aws:iam::123456789012:role/deploy";
const EMAIL = "deploy@project.iam.gserviceaccount.com";
const named = (name: string) => Object.assign(new Error("told in confidence"), { name });

describe("AWS", () => {
  it.each([
    "AccessDenied",
    "AccessDeniedException",
    "MalformedPolicyDocument",
    "MalformedPolicyDocumentException",
    "PackedPolicyTooLarge",
    "PackedPolicyTooLargeException",
    "RegionDisabledException",
    "ValidationError",
  ])("refuses with %s, and the error names role and profile", (code) => {
    const failure = assumeFailure(named(code), "prod", ARN);
    expect(failure).toBeInstanceOf(CloudRefusedError);
    for (const told of [ARN, "prod", code]) expect(failure.message).toContain(told);
    expect(failure.message).not.toContain("confidence");
  });

  // What concerns the service's own credentials, or nobody in particular, may be over at the next accept.
  it.each(["ExpiredToken", "InvalidClientTokenId", "Throttling", "TimeoutError", "Error", "accessdenied"])(
    "may be asked again after %s",
    (code) => expect(assumeFailure(named(code), "prod", ARN)).toBeInstanceOf(CloudUnavailableError),
  );

  it.each([undefined, null, "AccessDenied", { name: 7 }])("may be asked again after %j", (error) =>
    expect(assumeFailure(error ?? {}, "prod", ARN)).toBeInstanceOf(CloudUnavailableError),
  );
});

describe("Google Cloud", () => {
  const answered = (status: number) =>
    new gaxios.GaxiosError("told in confidence", {} as never, { status, config: {}, data: {} } as never);

  it.each([400, 403, 404])("refuses with %i, and the error names the account", (status) => {
    const failure = tokenFailure(answered(status), EMAIL);
    expect(failure).toBeInstanceOf(CloudRefusedError);
    expect(failure.message).toContain(`${EMAIL} (${status})`);
    expect(failure.message).not.toContain("confidence");
  });

  it.each([401, 408, 429, 500, 503])("may be asked again after %i", (status) =>
    expect(tokenFailure(answered(status), EMAIL)).toBeInstanceOf(CloudUnavailableError),
  );

  it("may be asked again when it gave no answer", () =>
    expect(tokenFailure(named("FetchError"), EMAIL)).toBeInstanceOf(CloudUnavailableError));
});

it("an answer that is of no use is told apart from none", () => {
  const large = assumeFailure(new Error("sdk", { cause: new EgressAnswerError("too large") }), "prod", ARN);
  expect(large.message).toBe("AWS gave an answer for credentials that is too large.");
  expect(assumeFailure(named("TimeoutError"), "prod", ARN).message).toBe("AWS could not be reached for credentials.");
});
