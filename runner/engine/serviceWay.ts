/**
 * An engine's way to the service, where that keeps the state. A proxy that a context names is for what a configuration
 * talks to: state and token would pass through it, over plain http readable.
 */
import { RunFailed } from "../service/outcome.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Of either spelling, the first that is set, as engines read it. */
const read = (env: Environment, name: string) => env[name] || env[name.toLowerCase()] || "";

/**
 * The variables that keep the engine on the runner's own way to the service.
 * @param own the runner's environment
 * @throws RunFailed when the runner has a proxy itself and a context another: an engine knows one
 */
export function wayToService(env: Environment, serviceUrl: string, own: Environment): Record<string, string> {
  const { protocol, hostname } = new URL(serviceUrl);
  const name = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const proxy = read(env, name);
  if (proxy === "" || proxy === read(own, name)) return {};
  const direct = [...new Set([read(env, "NO_PROXY"), hostname.replace(/^\[|\]$/g, "")])].filter(Boolean).join(",");
  if (read(own, name) === "") return { NO_PROXY: direct, no_proxy: direct };
  throw new RunFailed(
    `The service keeps the state of this stack, and the variable ${name} names another proxy than the runner's own way to it.`,
  );
}
