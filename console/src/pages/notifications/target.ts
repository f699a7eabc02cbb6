/** Where an integration sends, as a form holds it. What is stored of it can be written and never read. Pure. */
import type { operations } from "../../../../clients/api/schema.d.ts";

type Body = operations["createNotificationIntegration"]["requestBody"]["content"]["application/json"];
export type Target = NonNullable<Exclude<Body, { provider_type: "email" }>["auth_config"]>;
export type TargetDraft = { url: string; secret: string; headers: string };

/** Undefined where nothing was typed: what is stored stays. */
export function targetOf({ url, secret, headers }: TargetDraft): Target | undefined {
  if (url.trim() === "") return undefined;
  const lines = headers.split("\n").filter((line) => line.includes(":"));
  const set = Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(":");
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
  return { url: url.trim(), ...(secret !== "" && { secret }), ...(lines.length > 0 && { headers: set }) };
}
