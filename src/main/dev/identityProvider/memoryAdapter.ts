/** Where the local identity provider keeps sign-ins under way: in memory, since losing them costs one more click. */
import type { Adapter, AdapterPayload } from "oidc-provider";

type Stored = { payload: AdapterPayload; expiresAt: number };

/** One store for all kinds of things; an adapter per kind looks into it. */
export function memoryAdapters(): (kind: string) => Adapter {
  const stored = new Map<string, Stored>();
  const live = (key: string): AdapterPayload | undefined => {
    const found = stored.get(key);
    if (found === undefined || found.expiresAt > Date.now()) return found?.payload;
    stored.delete(key);
    return undefined;
  };
  const keysWhere = (matches: (payload: AdapterPayload) => boolean) =>
    [...stored].filter(([, { payload }]) => matches(payload)).map(([key]) => key);

  return (kind) => {
    const own = (key: string) => key.startsWith(`${kind}:`);
    const findBy = async (name: "uid" | "userCode", value: string) =>
      keysWhere((payload) => payload[name] === value)
        .filter(own)
        .map(live)
        .find((payload) => payload !== undefined);
    return {
      async upsert(id, payload, expiresIn) {
        stored.set(`${kind}:${id}`, { payload, expiresAt: Date.now() + (expiresIn ?? 86_400) * 1_000 });
      },
      find: async (id) => live(`${kind}:${id}`),
      findByUid: (uid) => findBy("uid", uid),
      findByUserCode: (code) => findBy("userCode", code),
      async consume(id) {
        const payload = live(`${kind}:${id}`);
        if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1_000);
      },
      async destroy(id) {
        stored.delete(`${kind}:${id}`);
      },
      async revokeByGrantId(grantId) {
        for (const key of keysWhere((payload) => payload.grantId === grantId)) stored.delete(key);
      },
    };
  };
}
