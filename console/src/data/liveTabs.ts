/**
 * The tabs of a browser share one connection: a server gets six of them from a browser, and each tab would hold one for
 * ever. Whichever visible tab has the lock reads for all of them; a hidden one gives it back.
 */
import type { Hint } from "./hints.ts";
import { followLive, type LiveListener, type LiveState } from "./liveStream.ts";

type Message = { state: LiveState } | { hint: Hint | null };

/** @returns what ends it */
export function followInTabs(org: string, listener: LiveListener): () => void {
  const name = `deployments-live-${org}`;
  const channel = new BroadcastChannel(name);
  let ending: AbortController | null = null;
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (document.hidden) return;
    if ("state" in data) listener.state(data.state);
    else listener.hint(data.hint);
  };
  const both: LiveListener = {
    state(state) {
      listener.state(state);
      channel.postMessage({ state } satisfies Message);
    },
    hint(hint) {
      listener.hint(hint);
      channel.postMessage({ hint } satisfies Message);
    },
  };
  const stop = () => {
    ending?.abort();
    ending = null;
  };
  const start = () => {
    if (ending !== null) return;
    ending = new AbortController();
    const { signal } = ending;
    navigator.locks.request(name, { signal }, () => followLive(org, both, signal)).catch(() => {});
    // Another tab may be reading already, and says nothing until the next change.
    listener.state("live");
  };
  const onVisibility = () => {
    if (document.hidden) return stop();
    start();
    // It was not listening meanwhile.
    listener.hint(null);
  };
  document.addEventListener("visibilitychange", onVisibility);
  if (!document.hidden) start();
  return () => {
    document.removeEventListener("visibilitychange", onVisibility);
    stop();
    channel.close();
  };
}
