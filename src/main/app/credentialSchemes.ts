import type { CredentialScheme } from "../../http/authenticate.ts";
import { serviceAccountTokens } from "../../people/serviceAccounts/tokenScheme.ts";
import type { BrowserOrigin } from "../../people/sessions/browserOrigin.ts";
import { browserSessions } from "../../people/sessions/sessionScheme.ts";
import { personalAccessTokens } from "../../people/tokens/personalTokenScheme.ts";
import type { Queryable } from "../../platform/db/client.ts";

/** Every way to call a people's route. A token that is sent wins over a cookie that the browser adds by itself. */
export function credentialSchemes(db: Queryable, origin: BrowserOrigin | null): CredentialScheme[] {
  return [serviceAccountTokens(db), personalAccessTokens(db), browserSessions(db, origin)];
}
