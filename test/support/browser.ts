/** A browser as far as signing in needs one: cookies by origin, redirects followed one by one. */

export type Visit = { url: string; status: number; headers: Headers; text: string };

export class Browser {
  readonly #jar = new Map<string, Map<string, string>>();

  /**
   * Follow redirects to the first answer that is none, or up to (and not into) the first address that `stopAt` accepts.
   */
  async visit(address: string, { stopAt = () => false }: { stopAt?: (url: URL) => boolean } = {}): Promise<Visit> {
    let url = new URL(address);
    for (let hops = 0; hops < 20; hops++) {
      if (hops > 0 && stopAt(url)) return { url: url.href, status: 0, headers: new Headers(), text: "" };
      const answer = await this.send(url.href);
      const location = answer.headers.get("location");
      if (answer.status < 300 || answer.status > 399 || location === null) return answer;
      url = new URL(location, url);
    }
    throw new Error(`more redirects than a sign-in has, last to ${url.origin}${url.pathname}`);
  }

  /** One request with this browser's cookies; redirects are not followed. */
  async send(address: string, init: RequestInit = {}): Promise<Visit> {
    const { origin } = new URL(address);
    const jar = this.#jar.get(origin) ?? new Map<string, string>();
    this.#jar.set(origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...(cookie === "" ? {} : { cookie }), ...(init.headers as Record<string, string> | undefined) };
    const answer = await fetch(address, { ...init, headers, redirect: "manual" });
    for (const line of answer.headers.getSetCookie()) {
      const [name = "", value = ""] = (line.split(";")[0] ?? "").split(/=(.*)/s);
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(line) || value === "") jar.delete(name);
      else jar.set(name, value);
    }
    return { url: address, status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  cookie(origin: string, name: string): string | undefined {
    return this.#jar.get(origin)?.get(name);
  }

  /** Its cookies of one site go: a provider then asks again who it is. */
  forget(origin: string): void {
    this.#jar.delete(origin);
  }

  setCookie(origin: string, name: string, value: string): void {
    const jar = this.#jar.get(origin) ?? new Map<string, string>();
    this.#jar.set(origin, jar.set(name, value));
  }
}

/** For `stopAt`: the address every provider sends people back to. */
export const atCallback = (url: URL): boolean => url.pathname === "/api/v1/auth/sso/callback";
