/** Workers of our own build; the page's policy lets nobody else make one (`import url from "./x.ts?worker&url"`). */
type Policy = { createScriptURL(url: string): string };
type Factory = { createPolicy(name: string, rules: Policy): Policy };

const rules: Policy = {
  createScriptURL(url) {
    if (new URL(url, location.href).origin !== location.origin) throw new TypeError("a worker of another origin");
    return url;
  },
};
const { trustedTypes } = globalThis as { trustedTypes?: Factory };
const policy = trustedTypes?.createPolicy("worker", rules) ?? rules;

export function openWorker(url: string): Worker {
  return new Worker(policy.createScriptURL(url), { type: "module" });
}
