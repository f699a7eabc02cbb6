import type { Queryable } from "../db/client.ts";
import { serviceAccountTokens } from "../serviceAccounts/tokenScheme.ts";
import type { BrowserOrigin } from "../sessions/browserOrigin.ts";
import { browserSessions } from "../sessions/sessionScheme.ts";
import { personalAccessTokens } from "../tokens/personalTokenScheme.ts";
import type { CredentialScheme } from "./authenticate.ts";

/** Every way to call a people's route (spec 5.1). A token that is sent wins over a cookie that the browser adds by itself. */
export function credentialSchemes(db: Queryable, origin: BrowserOrigin | null): CredentialScheme[] {
  return [serviceAccountTokens(db), personalAccessTokens(db), browserSessions(db, origin)];
}
