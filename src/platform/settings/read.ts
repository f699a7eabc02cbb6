/** One setting's value out of the environment. */
import * as v from "valibot";
import { ConfigError, type Setting } from "./setting.ts";

/**
 * @param example how an error shows a valid setting
 * @throws ConfigError when it is required and missing, or malformed; the text never repeats a secret's value
 */
export function readSetting(
  setting: Setting<unknown>,
  env: NodeJS.ProcessEnv,
  example: (setting: Setting<unknown>) => string = valueAlone,
): unknown {
  // An empty variable is an unset one: container files cannot unset what they inherit.
  const value = env[setting.name] === "" ? undefined : env[setting.name];
  const raw = value ?? setting.fallback;
  const hint = `for example ${example(setting)}`;
  if (raw === undefined) return undefined;
  if (raw === null) throw new ConfigError(`${setting.name} is not set: ${setting.what}; ${hint}`);
  const parsed = v.safeParse(setting.schema, raw, { abortEarly: true });
  if (parsed.success) return parsed.output;
  // Valibot's own messages quote the value, so only our formats' wording is shown for a secret.
  const shown = setting.secret ? "" : `, not ${JSON.stringify(raw.slice(0, 80))}`;
  const wrong = setting.secret ? `is malformed: expected ${setting.unit}` : `${parsed.issues[0].message}${shown}`;
  throw new ConfigError(`${setting.name} ${wrong.replace(/\s+/g, " ")}; ${hint}`);
}

function valueAlone({ example }: Setting<unknown>): string {
  return example === "" ? "(empty)" : example;
}
