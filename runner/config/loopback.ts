/** Whether an address leads nowhere but to this machine, so that nobody is on the way. */
export function isLoopback({ hostname }: Pick<URL, "hostname">): boolean {
  return hostname === "[::1]" || /^127(\.\d+){3}$|(^|\.)localhost$/.test(hostname);
}
