/** What the coordinator itself works by. */
import { duration, integer, listen, onOff, text } from "../../src/platform/settings/formats.ts";
import { required, withDefault } from "../../src/platform/settings/setting.ts";
import { filePath } from "./formats.ts";

export const COORDINATOR = {
  allowHttp: withDefault("RUNNER_ALLOW_HTTP", onOff, "off", {
    what: "whether the service may be called by http:// elsewhere than on this machine; secrets of runs are then readable on the way",
    unit: "on or off",
  }),
  groupId: required("RUNNER_GROUP_ID", text(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, "a lower-case UUID"), {
    what: "id of the runner group this coordinator serves",
    unit: "UUID",
    example: "0190b7c2-6a1e-7c3d-9f00-5d2f6f1c8a11",
  }),
  keyFile: required("RUNNER_KEY_FILE", filePath, {
    what: "PEM file with the group's private key; it is watched, so a rotated key needs no restart",
    unit: "path",
    example: "/etc/runner/group-key.pem",
  }),
  workDir: required("RUNNER_WORK_DIR", filePath, {
    what: "directory that holds one private directory per live run, and the files of stacks at stable paths",
    unit: "path",
    example: "/var/lib/runner",
  }),
  maxConcurrent: withDefault("RUNNER_MAX_CONCURRENT", integer(1, 1_000), "4", {
    what: "runs this coordinator works on at once",
    unit: "runs",
  }),
  spareProcesses: withDefault("RUNNER_SPARE_PROCESSES", integer(0, 1_000), "1", {
    what: "processes kept loaded for the next runs, at most one per slot",
    unit: "processes",
  }),
  listen: withDefault("RUNNER_LISTEN", listen, "127.0.0.1:8082?", {
    what: "address of /healthz, /readyz and /metrics; port 0 takes any free one, a `?` behind a port any free one where it is taken",
    unit: "host:port",
  }),
  pollWaitSeconds: withDefault("RUNNER_POLL_WAIT_SECONDS", integer(0, 50), "50", {
    what: "how long the service may hold an empty poll",
    unit: "seconds",
  }),
  heartbeatMs: withDefault("RUNNER_HEARTBEAT_INTERVAL", duration, "PT15S", {
    what: "time between two heartbeats of the coordinator",
    unit: "duration",
  }),
  drainMs: withDefault("RUNNER_DRAIN_TIMEOUT", duration, "PT10M", {
    what: "time live runs get to end by themselves after SIGTERM, before they are interrupted",
    unit: "duration",
  }),
};
