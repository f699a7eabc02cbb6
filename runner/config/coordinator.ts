/** What the coordinator itself works by. */
import * as v from "valibot";
import { duration, integer, listen, onOff, text } from "../../src/platform/settings/formats.ts";
import { optional, required, withDefault } from "../../src/platform/settings/setting.ts";
import { addresses, filePath, folders } from "./formats.ts";
import { CHOICES } from "./isolation.ts";

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
  isolation: withDefault("RUNNER_ISOLATION", v.picklist(CHOICES, `expected one of ${CHOICES.join(", ")}`), "wall", {
    what: "what is around each run: `bubblewrap`, `user`, `command`, `none`; `wall`: the strongest of the first two that works here; `any`: `bubblewrap`, or none where it does not work",
    unit: "name",
  }),
  hide: withDefault("RUNNER_WALL_HIDE", folders, "", {
    what: "further folders that no run sees behind `bubblewrap`, comma-separated",
    unit: "list",
    example: "/var/lib/private",
  }),
  show: withDefault("RUNNER_WALL_SHOW", folders, "", {
    what: "files and folders that runs may read behind `bubblewrap` though they are hidden by themselves, comma-separated",
    unit: "list",
    example: "/srv/modules",
  }),
  write: withDefault("RUNNER_WALL_WRITE", folders, "", {
    what: "folders that all runs may write to behind `bubblewrap`, comma-separated; what one puts there another finds",
    unit: "list",
    example: "/srv/state",
  }),
  repositories: withDefault("RUNNER_WALL_REPOSITORIES", folders, "", {
    what: "folders of git repositories (`file://`) that are hidden behind `bubblewrap`: a run is given a copy of its own one, where that is the runner's user's; comma-separated",
    unit: "list",
    example: "/srv/git",
  }),
  metadata: withDefault("RUNNER_METADATA_ADDRESS", addresses, "169.254.169.254:80,[fd00:ec2::254]:80", {
    what: "where the machine's identity is given away; a coordinator does not start when a run can connect to it, unless this is `allowed`",
    unit: "host:port list",
  }),
  slotUid: withDefault("RUNNER_SLOT_UID", integer(0, 2_000_000_000), "58000", {
    what: "first of the user ids of runs where the coordinator is root, one for each run and each waiting process; 0 with `bubblewrap`: they stay root without any privilege",
    unit: "uid",
  }),
  launchCommand: optional("RUNNER_LAUNCH_COMMAND", text(/^\S.*$/, "a command"), {
    what: "with `command`: what starts the container, virtual machine or pod of a run, for `/bin/sh`; it finds `RUN_IMAGE`, `RUN_NAME` and `RUN_DIRECTORY` in its environment",
    unit: "command",
    example: 'docker run --rm --interactive --name "$RUN_NAME" "$RUN_IMAGE" node runner/launched.ts',
  }),
  launchImage: optional("RUNNER_LAUNCH_IMAGE", text(/^\S+$/, "the name of an image"), {
    what: "with `command`: the image that command is to start, as `RUN_IMAGE`",
    unit: "name",
    example: "registry.example.com/deployment-runner:1.4",
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
  readyFile: optional("RUNNER_READY_FILE", filePath, {
    what: "file that is there while the coordinator works: JSON with its `pid`, its `isolation` and the `address` of /healthz",
    unit: "path",
    example: "/run/runner/ready.json",
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
