/** `deploy state versions`, and the version that is meant by a number, an id, or nothing. */
import { answerOf } from "../../clients/api/client.ts";
import { type Action, sessionOf } from "../context.ts";
import { limitOf } from "../deployments/lists.ts";
import { EXIT } from "../exit/exitCodes.ts";
import { Failure, usage } from "../exit/failure.ts";
import { type Session, stackIdOf } from "../service/session.ts";
import type { StateVersion } from "../service/types.ts";
import { shownDuration } from "../terminal/durations.ts";

const PAGE = 200;

export const versions: Action<{ limit?: string }> = async (context, named) => {
  const { options, screen } = context;
  const session = await sessionOf(context);
  const stackId = await stackIdOf(session, named ?? options.stack);
  const page = await readPage(session, stackId, { limit: limitOf(options.limit) });
  screen.value(page);
  screen.table<StateVersion>(page.items, [
    { title: "version", value: ({ number, is_newest }) => `${number}${is_newest ? " (newest)" : ""}` },
    { title: "serial", value: ({ serial }) => serial },
    { title: "resources", value: ({ resources }) => resources ?? "encrypted" },
    { title: "bytes", value: ({ size }) => size },
    { title: "from", value: originOf },
    { title: "by", value: ({ created_by, deployment_id }) => created_by?.name ?? deployment_id },
    { title: "age", value: ({ created_at }) => shownDuration(Date.now() - Date.parse(created_at)) },
    { title: "lineage", value: ({ lineage }) => lineage, cut: true },
  ]);
  if (page.next_cursor !== null) screen.note("There are more; use --limit.");
  if (page.items.length === 0) screen.note("None.");
  return EXIT.done;
};

function originOf({ origin, restores }: StateVersion): string {
  return restores === null ? origin : `${origin} to ${restores}`;
}

/** The state as it is. @throws Failure: not found where there is none, ApiError */
export async function presentVersion(session: Session, stackId: string): Promise<StateVersion> {
  const { items } = await readPage(session, stackId, { limit: 1 });
  const present = items.find(({ is_newest }) => is_newest);
  if (present === undefined) {
    const hint = `deploy stack show ${stackId} says where it is; deploy state push puts one there`;
    throw Failure.of(EXIT.notFound, `The service keeps no state of ${stackId}.`, hint);
  }
  return present;
}

/** @param meant its number, or its id. @throws Failure: not found, ApiError */
export async function versionOf(session: Session, stackId: string, meant: string): Promise<StateVersion> {
  if (!/^\d{1,15}$/.test(meant)) {
    const path = { org_id: session.orgId, stack_id: stackId, version_id: meant };
    return answerOf(
      session.api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/state/versions/{version_id}", { params: { path } }),
    );
  }
  const number = Number(meant);
  for (let cursor: string | undefined; ; ) {
    const page = await readPage(session, stackId, { limit: PAGE, ...(cursor !== undefined && { cursor }) });
    const found = page.items.find((version) => version.number === number);
    if (found !== undefined) return found;
    // Newest first: what comes later is older still.
    const isPast = page.items.some((version) => version.number < number);
    if (page.next_cursor === null || isPast) {
      const hint = `deploy state versions ${stackId} lists them`;
      throw Failure.of(EXIT.notFound, `The state of ${stackId} has no version ${meant}.`, hint);
    }
    cursor = page.next_cursor;
  }
}

function readPage({ api, orgId }: Session, stackId: string, query: { limit: number; cursor?: string }) {
  const params = { path: { org_id: orgId, stack_id: stackId }, query };
  return answerOf(api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/state/versions", { params }));
}

/** @throws Failure: usage */
export function required(text: string | undefined, why: string): string {
  if (text === undefined || text.trim() === "") throw usage(why);
  return text;
}
