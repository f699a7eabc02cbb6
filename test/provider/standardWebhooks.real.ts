/**
 * The library of Standard Webhooks for Python, as pip installs it, takes what receivers are sent and refuses the rest.
 * The one for JavaScript is asked in the ordinary tests.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { headersOf } from "../../src/exchange/notifications/post.ts";

const LIBRARY = "standardwebhooks==1.1.0";
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const BODY = '{"commit_message":"ünïcode"}';
const VERIFY = `
import json, sys
from standardwebhooks import Webhook
secret, body, headers = json.loads(sys.argv[1])
try:
    print(json.dumps(Webhook(secret).verify(body.encode(), headers)))
except Exception as error:
    print(type(error).__name__)
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-webhooks-"));
  execFileSync("python3", ["-m", "venv", folder]);
  execFileSync(join(folder, "bin", "pip"), ["install", "--quiet", "--disable-pip-version-check", LIBRARY]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the library says: the body that it read, or the name of its refusal. */
function verified(headers: Record<string, string>, { secret = SECRET, body = BODY } = {}): string {
  const given = JSON.stringify([secret, body, headers]);
  return execFileSync(join(folder, "bin", "python"), ["-c", VERIFY, given], { encoding: "utf8" }).trim();
}

test("it takes ours, and refuses another body, another secret and one from an hour ago", () => {
  const now = Math.floor(Date.now() / 1_000);
  const sent = (timestamp: number) =>
    headersOf(
      { url: "https://x.example", secret: SECRET },
      { deliveryId: "01a1f77a-0000-7000-8000-000000000001", eventType: "stack_created", body: BODY, timestamp },
    );
  expect(JSON.parse(verified(sent(now)))).toEqual(JSON.parse(BODY));
  expect(verified(sent(now), { body: `${BODY} ` })).toBe("WebhookVerificationError");
  expect(verified(sent(now), { secret: `${SECRET.slice(0, -4)}AAAA` })).toBe("WebhookVerificationError");
  expect(verified(sent(now - 3_600))).toBe("WebhookVerificationError");
});
