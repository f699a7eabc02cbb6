/** Commands about sign-ins that there are: logout, whoami, profile. */
import { answerOf } from "../../clients/api/client.ts";
import { type Action, serviceOf } from "../context.ts";
import { EXIT } from "../exit/exitCodes.ts";
import { Failure } from "../exit/failure.ts";
import { profileFolder } from "../profiles/folder.ts";
import { readProfiles, writeProfiles } from "../profiles/profiles.ts";
import { openTokens } from "../profiles/tokens.ts";
import { serviceAt } from "../service/session.ts";
import { facts } from "../terminal/table.ts";
import { endToken } from "./keep.ts";

/** The token ends at the service too. */
export const logout: Action = async ({ options, screen }) => {
  const folder = profileFolder(process.env);
  const { current, profiles } = await readProfiles(folder);
  const name = options.profile ?? (process.env.DEPLOY_PROFILE || current);
  const profile = name === null ? undefined : profiles[name];
  if (name === null || profile === undefined) {
    screen.note("You are not signed in.");
    return EXIT.done;
  }
  const tokens = await openTokens(folder, process.env);
  const token = await tokens.read(name);
  if (token !== null && profile.tokenId !== null) {
    await endToken(serviceAt(profile.host, token), profile.tokenId).catch((error: unknown) => {
      const { status } = error as { status?: number };
      if (status === 401 || status === 404) return;
      const until = profile.expiresAt === null ? "" : ` on ${profile.expiresAt.slice(0, 10)}`;
      screen.note(`The token could not be deleted at ${profile.host}: it ends${until}, or when you delete it there.`);
    });
  }
  await tokens.remove(name);
  const { [name]: _, ...rest } = profiles;
  await writeProfiles(folder, { current: current === name ? (Object.keys(rest)[0] ?? null) : current, profiles: rest });
  screen.value({ profile: name });
  screen.note(`Signed out of ${profile.host}.`);
  return EXIT.done;
};

export const whoami: Action = async (context) => {
  const { screen } = context;
  const service = await serviceOf(context);
  const { csrf_token: _, ...me } = await answerOf(service.api.GET("/api/v1/auth/me"));
  const orgId = service.org ?? me.pat_org_id ?? null;
  screen.value({ ...me, host: service.host, org_id: orgId });
  screen.out(
    facts([
      ["service", service.host],
      ["name", me.name],
      ["id", me.id],
      ["kind", me.kind],
      ["organization", service.orgName === null ? orgId : `${service.orgName} (${orgId})`],
      ["token", me.pat_name],
    ]),
  );
  return EXIT.done;
};

export const listProfiles: Action = async ({ screen }) => {
  const { current, profiles } = await readProfiles(profileFolder(process.env));
  const rows = Object.entries(profiles).map(([name, profile]) => ({ name, current: name === current, ...profile }));
  screen.value({ items: rows });
  screen.table(rows, [
    { title: "", value: (row) => (row.current ? "*" : "") },
    { title: "profile", value: ({ name }) => name },
    { title: "service", value: ({ host }) => host },
    { title: "organization", value: ({ orgName }) => orgName, cut: true },
    { title: "as", value: (row) => row.login, cut: true },
    { title: "until", value: ({ expiresAt }) => expiresAt?.slice(0, 10) },
  ]);
  if (rows.length === 0) screen.note("None: deploy login");
  return EXIT.done;
};

export const removeProfile: Action = async (context, name) => {
  const { profiles } = await readProfiles(profileFolder(process.env));
  if (name === undefined || profiles[name] === undefined) throw noProfile(name);
  return logout({ ...context, options: { ...context.options, profile: name } });
};

function noProfile(name: string | undefined): Failure {
  return Failure.of(EXIT.notFound, `There is no profile ${name}.`, "deploy profile list shows those that there are");
}

export const useProfile: Action = async ({ screen }, name) => {
  const folder = profileFolder(process.env);
  const { profiles } = await readProfiles(folder);
  if (name === undefined || profiles[name] === undefined) throw noProfile(name);
  await writeProfiles(folder, { current: name, profiles });
  screen.value({ profile: name });
  screen.note(`${name} is used from now on.`);
  return EXIT.done;
};
