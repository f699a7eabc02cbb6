import { expect, it } from "vitest";
import type { Credential, Principal } from "../../http/principal.ts";
import { requireSession } from "./requireSession.ts";

const CREDENTIALS: { [K in Credential["kind"]]: Extract<Credential, { kind: K }> } = {
  session: { kind: "session", sessionId: "s-1" },
  personal_access_token: {
    kind: "personal_access_token",
    tokenId: "t",
    tokenName: "t",
    orgId: "o",
    orgLoginHandle: null,
  },
  service_account_token: { kind: "service_account_token", tokenId: "t", tokenName: "t" },
};

it.each(Object.values(CREDENTIALS))("a person with a $kind", (credential) => {
  const ask = () => requireSession({ kind: "user", id: "codehost:kate:1", credential });
  if (credential.kind === "session") expect(ask()).toEqual({ kind: "user", id: "codehost:kate:1", sessionId: "s-1" });
  else expect(ask).toThrow(expect.objectContaining({ status: 403, code: "session_required" }));
});

it("a service account has none, whatever it says it has", () => {
  const account: Principal = {
    kind: "service_account",
    id: "a",
    orgId: "o",
    tokenId: null,
    credential: CREDENTIALS.session,
  };
  expect(() => requireSession(account)).toThrow(expect.objectContaining({ code: "session_required" }));
});
