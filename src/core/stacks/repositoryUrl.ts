/**
 * Where a stack's code comes from. Only forms whose transport and host are plain to see are accepted
 * (docs/rules/stacks.md#fields-are-checked-for-where-they-end-up).
 */

export type RepositoryAddress = {
  protocol: "https" | "http" | "ssh" | "git" | "file";
  /** Empty for a file. */
  host: string;
  /** The one named, else the protocol's own; null for a file. */
  port: number | null;
};

const PROTOCOLS = ["https", "http", "ssh", "git", "file"] as const;
const PORTS = { https: 443, http: 80, ssh: 22, git: 9418 } as const;
/**
 * `user@host:path`, what code hosts show for ssh. Neither part may begin with a dash, or git would take it for an
 * option.
 */
const SCP_LIKE =
  /^[A-Za-z0-9_][A-Za-z0-9_.-]*@(?<host>[A-Za-z0-9][A-Za-z0-9.-]*):(?<path>[A-Za-z0-9_.~/][A-Za-z0-9_.~/%+-]*)$/;
/** What a URL's path may hold after the host; no blanks, quotes, backslashes or control characters. */
const PATH = /^\/[A-Za-z0-9_.~/%+@:,=-]*$/;

/**
 * The transport, host and port of a repository URL, or null for text that is not one. Passwords inside the URL are
 * refused: it is shown to everyone who may read the stack.
 */
export function parseRepositoryUrl(text: string): RepositoryAddress | null {
  if (text.length > 1_000 || hasDetours(text)) return null;
  const scp = SCP_LIKE.exec(text)?.groups;
  if (scp) return { protocol: "ssh", host: scp.host ?? "", port: PORTS.ssh };
  const protocol = PROTOCOLS.find((name) => text.startsWith(`${name}://`));
  const url = protocol === undefined ? null : URL.parse(text);
  if (protocol === undefined || url === null || url.search !== "" || url.hash !== "") return null;
  const authority = text.slice(protocol.length + 3).split("/", 1)[0] ?? "";
  const path = text.slice(protocol.length + 3 + authority.length);
  if (url.password !== "" || authority.includes(":@") || !PATH.test(path) || path.length < 2) return null;
  if (protocol === "file") return authority === "" ? { protocol, host: "", port: null } : null;
  if (
    !/^(?:[A-Za-z0-9_][A-Za-z0-9_.-]*@)?(?:[A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?$/.test(authority)
  )
    return null;
  // A user name without a password is how ssh is addressed; over https it is a token in disguise.
  if (url.username !== "" && protocol !== "ssh") return null;
  return {
    protocol,
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? PORTS[protocol] : Number(url.port),
  };
}

/**
 * Whether a path leads elsewhere than it reads, as `acme/../other`: patterns look at the text, and git at where it
 * leads.
 */
export function hasDetours(text: string): boolean {
  return /(?:^|[/:])\.{1,2}(?:\/|$)|%(?:2e|2f|5c)/i.test(text);
}

/**
 * What every way of writing one repository's address has in common: `host/owner/name` in lower case, without `.git`; of
 * a file its path as it is. Ports and transports do not count: a host serves one repository over several.
 */
export function repositoryKey(text: string): string {
  if (text.startsWith("file://")) return `file/${pathKey(text.slice("file://".length))}`;
  const scp = SCP_LIKE.exec(text)?.groups;
  if (scp) return `${(scp.host ?? "").toLowerCase()}/${pathKey(scp.path ?? "").toLowerCase()}`;
  const url = URL.parse(text);
  return url === null ? "" : `${url.hostname}/${pathKey(url.pathname)}`.toLowerCase();
}

function pathKey(path: string): string {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return parts.join("/").replace(/\.git$/i, "");
}
