/** Keeps what is on screen as it is in the service, and says whether it can. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { hintedReads } from "./hints.ts";
import type { LiveState } from "./liveStream.ts";
import { followInTabs } from "./liveTabs.ts";

export function useLive(org: string): LiveState {
  const client = useQueryClient();
  const [state, setState] = useState<LiveState>("connecting");
  useEffect(() => followInTabs(org, { state: setState, hint: hintedReads(client, org) }), [client, org]);
  return state;
}
