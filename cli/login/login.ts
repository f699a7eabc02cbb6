/** `deploy login`: by a person in a browser, or with a token that is there. */
import { hostname } from "node:os";
import { text } from "node:stream/consumers";
import { type Action, attendanceOf, type Context } from "../context.ts";
import { EXIT } from "../exit/exitCodes.ts";
import { usage } from "../exit/failure.ts";
import { profileFolder } from "../profiles/folder.ts";
import { assertWritable, readProfiles } from "../profiles/profiles.ts";
import { serviceAt } from "../service/session.ts";
import { hostOf } from "../target/target.ts";
import { askSecret, askText } from "../terminal/ask.ts";
import { beginLogin, collectToken } from "./deviceFlow.ts";
import { endOwnToken, keep, profileOf } from "./keep.ts";
import { openBrowser } from "./openPage.ts";

export type LoginOptions = { withToken?: boolean; browser?: boolean };

export const login: Action<LoginOptions> = async (context) => {
  const { options, screen } = context;
  const host = await chosenHost(context);
  const folder = profileFolder(process.env);
  // What cannot be kept is not asked for.
  await assertWritable(folder);
  const token = options.withToken === true ? await givenToken(context) : await byDevice(context, host);
  const service = serviceAt(host, token, (why) => screen.trouble("service", why));
  try {
    const made = options.withToken !== true;
    const profile = { ...(await profileOf(service, options.org)), ...(made && { made }) };
    const { name, place } = await keep(folder, profile, token, options.profile);
    screen.value({ profile: name, host, org_id: profile.orgId, expires_at: profile.expiresAt });
    screen.note(`Signed in as ${profile.login} at ${host}, for ${profile.orgName}. The token is in ${place}.`);
    return EXIT.done;
  } catch (error) {
    // One that was made for this program and cannot be kept would be good for 90 days, and nobody's.
    if (options.withToken !== true) await endOwnToken(service);
    throw error;
  }
};

/** From a pipe, or typed unseen. */
async function givenToken({ screen }: Context): Promise<string> {
  const given = process.stdin.isTTY ? await askSecret(screen, "The token") : await text(process.stdin);
  const token = given?.trim();
  if (!token) throw usage("No token came on stdin.", "Such as: deploy login --with-token < FILE");
  return token;
}

/** The option, the environment, the profile that was used last, or a question. */
async function chosenHost({ options, screen }: Context<LoginOptions>): Promise<string> {
  const { current, profiles } = await readProfiles(profileFolder(process.env));
  const known = options.host ?? (process.env.DEPLOY_HOST || profiles[options.profile ?? current ?? ""]?.host);
  if (known !== undefined) return hostOf(known, process.env);
  const typed = screen.terminal.interactive
    ? await askText(screen, "Where is the service?", "https://deploy.example.com")
    : null;
  if (!typed) throw usage("Where is the service?", "deploy login --host https://...");
  return hostOf(typed, process.env);
}

async function byDevice(context: Context<LoginOptions>, host: string): Promise<string> {
  const { options, screen } = context;
  using attendance = attendanceOf(context);
  const begun = await beginLogin(host, { client: "deploy", host: hostname() });
  const { user_code, verification_uri, verification_uri_complete } = begun;
  screen.error(`Open ${verification_uri} and compare this code: ${user_code}`);
  if (screen.terminal.interactive && options.browser !== false)
    await openBrowser(verification_uri_complete, process.env);
  await screen.status(
    () => `waiting for your word in the browser; the code is ${user_code}`,
    "Waiting for your word in the browser.",
  );
  try {
    return (await collectToken(host, begun, attendance.signal)).access_token;
  } finally {
    await screen.status(null);
  }
}
