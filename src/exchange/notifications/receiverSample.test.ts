/** What receivers are told to do with a signature works on what they get. */
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { NOTIFIED_EVENTS } from "../../work/eventNames.ts";
import { headersOf } from "./post.ts";

const manual = await readFile(new URL("../../../docs/notifications.md", import.meta.url), "utf8");

it("the manual's check of a signature takes ours and refuses others", async () => {
  const code = /```js\n(.*?)```/s.exec(manual)?.[1] ?? "";
  const sample = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    isFromService(secret: string, rawBody: Buffer, signature: string | undefined): boolean;
  };
  const body = '{"commit_message":"ünïcode"}';
  const sent = { deliveryId: "d", eventType: "stack_created", body, timestamp: 1 };
  const signature = headersOf({ url: "https://x.example", secret: "s" }, sent)["x-svc-signature-256"];
  const check = (secret: string, raw: string, given: string | undefined) =>
    sample.isFromService(secret, Buffer.from(raw), given);
  expect(check("s", body, signature)).toBe(true);
  expect(check("t", body, signature)).toBe(false);
  expect(check("s", `${body} `, signature)).toBe(false);
  expect(check("s", body, undefined)).toBe(false);
});

it("the manual names every event", () => {
  for (const name of NOTIFIED_EVENTS) expect(manual).toContain(`\`${name}\``);
});
