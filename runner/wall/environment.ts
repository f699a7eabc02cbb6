/** What of the coordinator's environment a process of a run sees behind a wall. */

/** What engines see of it anyway, and what a process of Node and git need to reach their hosts. */
const PASSED = [
  ["PATH", "LANG", "LC_ALL", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS"],
  ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy"],
].flat();

/** Whom spans are sent to is in the run's settings. What one shows there is a credential of the operator. */
const TELEMETRY = /^OTEL_(?!.*HEADERS)/;

/** @param named what the operator lets engines see besides */
export function walledEnvironment(named: readonly string[], home: string): Record<string, string> {
  const passed = new Set([...PASSED, ...named]);
  const entries = Object.entries(process.env).filter(([name]) => passed.has(name) || TELEMETRY.test(name));
  return { ...(Object.fromEntries(entries) as Record<string, string>), HOME: home };
}

/** Without a wall a process sees all of it but the coordinator's settings. */
export function openEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name]) => !name.startsWith("RUNNER_"));
  return Object.fromEntries(entries) as Record<string, string>;
}
