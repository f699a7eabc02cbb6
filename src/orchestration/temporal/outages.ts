/** Notices that the server was away, however shortly. Calls do not: the retries of one outlast a restart. */
import { Connection } from "@temporalio/client";

/** What is used of a gRPC channel; the numbers are those of gRPC's connectivity states. */
type Channel = {
  getConnectivityState(tryToConnect: boolean): number;
  watchConnectivityState(from: number, deadline: number, changed: () => void): void;
};
const IDLE = 0;
const TRANSIENT_FAILURE = 3;
const SHUTDOWN = 4;

/** No server restarts in less, and one that drops every connection is not asked in a loop. */
const REOPEN_MS = 50;

/**
 * A connection that can be watched. It is opened by its first call, like any lazy one, and `lazy` makes one of this
 * class.
 */
export class WatchedConnection extends Connection {
  /**
   * Call `onAway` whenever nobody takes the connection. One that was dropped is opened again soon to learn that:
   * a server that only ended an old connection is still there, one that restarts is not.
   */
  onAway(onAway: () => void): void {
    const channel: Channel = this.client.getChannel();
    const reopen = () => channel.getConnectivityState(false) === IDLE && channel.getConnectivityState(true);
    const watch = (state: number): void => {
      if (state === SHUTDOWN) return;
      channel.watchConnectivityState(state, Number.POSITIVE_INFINITY, () => {
        const now = channel.getConnectivityState(false);
        watch(now);
        if (now === TRANSIENT_FAILURE) onAway();
        if (now === IDLE) setTimeout(reopen, REOPEN_MS).unref();
      });
    };
    watch(channel.getConnectivityState(false));
  }
}
