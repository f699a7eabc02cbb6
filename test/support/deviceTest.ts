/** Programs that ask for a token, and people who answer: what those tests begin with. */
import { csrfToken } from "../../src/people/sessions/csrf.ts";
import { createSession } from "../../src/people/sessions/sessions.ts";
import { peopleTest } from "./test.ts";

const DEVICE = "/api/v1/auth/device";
const GRANT = "urn:ietf:params:oauth:grant-type:device_code";

export const deviceTest = peopleTest({ env: { SVC_SSO_REQUESTS_PER_MINUTE: "10000" } }).extend("world", ({ api }) => {
  /** A member of a new organization with a session, as their browser sends it, and a personal token. */
  async function holder() {
    const org = await api.makeOrg();
    const { user } = await api.makeUser({ orgs: [org], grants: [["*", "*"]] });
    const session = await createSession(api.database.db, user);
    const cookies = { cookie: `svc_session=${session}`, origin: api.baseUrl, "x-csrf-token": csrfToken(session) };
    const made = await api.call("POST", "/api/v1/me/tokens", { headers: cookies, body: { org_id: org, name: "hand" } });
    return { org, user, cookies, token: made.body.token as string };
  }
  async function begin(names = { client_name: "deploy", host_name: "laptop" }) {
    const { body } = await api.call("POST", DEVICE, { body: names });
    return body as Record<"device_code" | "user_code" | "verification_uri_complete", string>;
  }
  const look = ({ device_code }: { device_code: string }) =>
    api.call("POST", `${DEVICE}/token`, { body: { grant_type: GRANT, device_code } });
  const lookLater = async (asked: { device_code: string }) => {
    await api.database.advanceClock(5_000);
    return look(asked);
  };
  const answer = (
    method: string,
    { user_code }: { user_code: string },
    headers: Record<string, string>,
    org?: string,
  ) =>
    api.call(method, `/api/v1/me/device-logins/${user_code}`, {
      headers,
      ...(org === undefined ? {} : { body: { org_id: org } }),
    });
  return { holder, begin, look, lookLater, answer };
});
