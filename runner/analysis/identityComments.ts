import { resourceAddress } from "./addresses.ts";
import { refuseUnknown } from "./dependencyComment.ts";
import { MalformedComment, quoted } from "./directive.ts";

const IGNORE_FIELDS = new Set(["resource", "ignore"]);
const REALM_FIELDS = new Set(["resource", "realm"]);
/** Outside every block: what a realm that is declared for the whole stack is kept under. */
const WHOLE_STACK = "";

/**
 * What comments say about the cloud identities of resources, by the address they are about
 * (docs/dependencies.md#dependencies-nobody-had-to-declare).
 */
export class IdentityDeclarations {
  readonly #ignore = new Map<string, boolean>();
  readonly #realms = new Map<string, string>();
  /** Addresses with two directives: nobody can tell which one is meant. */
  readonly #contested = new Set<string>();

  /** `svc:resource-identity: [resource=<address>] ignore=<true|false>` @throws MalformedComment */
  addIgnore(fields: ReadonlyMap<string, string>, adopted: string | null): void {
    refuseUnknown(fields, IGNORE_FIELDS);
    const ignore = fields.get("ignore");
    if (ignore === undefined) throw new MalformedComment("ignore is required");
    if (ignore !== "true" && ignore !== "false") {
      throw new MalformedComment(`ignore ${quoted(ignore)} is neither true nor false`);
    }
    const address = addressOf(fields, adopted);
    if (address === null) throw new MalformedComment("name a resource, or put the comment right above its block");
    this.#add(this.#ignore, address, ignore === "true");
  }

  /**
   * `svc:resource-identity-realm: [resource=<address>] realm=<text>`; above no block it is the whole stack's.
   * @throws MalformedComment
   */
  addRealm(fields: ReadonlyMap<string, string>, adopted: string | null): void {
    refuseUnknown(fields, REALM_FIELDS);
    const realm = fields.get("realm");
    if (realm === undefined) throw new MalformedComment("realm is required");
    if (/\p{Cc}/u.test(realm)) throw new MalformedComment("realm has control characters");
    this.#add(this.#realms, addressOf(fields, adopted) ?? WHOLE_STACK, realm);
  }

  /**
   * What counts for a resource: the directive whose address is nearest to its own. Contested: its identity is unknown.
   */
  of(address: string): { ignore: boolean; realm: string | null; contested: boolean } {
    if (this.#ignore.size + this.#realms.size === 0) return { ignore: false, realm: null, contested: false };
    const places = [...enclosing(address)];
    return {
      ignore: nearest(this.#ignore, places) ?? false,
      realm: nearest(this.#realms, places) ?? null,
      contested: places.some((place) => this.#contested.has(place)),
    };
  }

  #add<T>(to: Map<string, T>, address: string, value: T): void {
    if (to.has(address)) {
      this.#contested.add(address);
      throw new MalformedComment(
        address === WHOLE_STACK ? "a second one for the whole stack" : `a second one for ${quoted(address)}`,
      );
    }
    to.set(address, value);
  }
}

function addressOf(fields: ReadonlyMap<string, string>, adopted: string | null): string | null {
  const named = fields.get("resource");
  if (named !== undefined) return resourceAddress("resource", named);
  return adopted === null ? null : resourceAddress("the block below,", adopted);
}

function nearest<T>(declared: ReadonlyMap<string, T>, places: readonly string[]): T | undefined {
  for (const place of places) {
    const value = declared.get(place);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** An address, the block it is an instance of, the modules around it from the inside out, and the whole stack. */
function* enclosing(address: string): Generator<string, void> {
  yield address;
  let inBrackets = false;
  // From the right, since a key may hold dots; brackets that a key holds only cost a look-up that finds nothing.
  for (let at = address.length - 1; at > 0; at -= 1) {
    const character = address[at];
    if (character === "]") inBrackets = true;
    else if (character === "[") {
      inBrackets = false;
      yield address.slice(0, at);
    } else if (character === "." && !inBrackets) yield address.slice(0, at);
  }
  yield WHOLE_STACK;
}
