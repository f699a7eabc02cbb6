/** People with a session and a personal token: what those tests begin with. */
import { csrfToken } from "../../src/people/sessions/csrf.ts";
import { createSession } from "../../src/people/sessions/sessions.ts";
import { peopleTest } from "./test.ts";

export const ME = "/api/v1/auth/me";
export const TOKENS = "/api/v1/me/tokens";

export const test = peopleTest().extend("world", ({ api }) => {
  /** A member of a new organization with a session and a personal token for it. */
  async function holder(options: { superAdmin?: boolean } = {}) {
    const org = await api.makeOrg();
    const { user } = await api.makeUser({ orgs: [org], grants: [["*", "*"]], ...options });
    const session = await createSession(api.database.db, user);
    const cookies = { cookie: `svc_session=${session}`, origin: api.baseUrl, "x-csrf-token": csrfToken(session) };
    const created = await api.call("POST", TOKENS, { headers: cookies, body: { org_id: org, name: "laptop" } });
    return { org, user, cookies, created, token: created.body.token as string };
  }
  const works = async (token: string) => (await api.call("GET", ME, { token })).status === 200;
  const asSuperAdmin = async () => {
    const { user } = await api.makeUser({ superAdmin: true });
    const session = await createSession(api.database.db, user);
    const headers = { cookie: `svc_session=${session}`, origin: api.baseUrl, "x-csrf-token": csrfToken(session) };
    return (verb: string, target: string) =>
      api.call("POST", `/api/v1/users/${encodeURIComponent(target)}/${verb}`, { headers });
  };

  return { holder, works, asSuperAdmin };
});
