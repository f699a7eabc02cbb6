import type { GroupQueue, RunnerGroup } from "../../data/types.ts";
import { Copy } from "../../ui/Copy.tsx";
import { Facts } from "../../ui/Facts.tsx";
import { span } from "../../ui/instants.ts";
import { Labels } from "../../ui/Labels.tsx";
import { Notice } from "../../ui/Notice.tsx";
import rows from "../../ui/rows.module.css";
import { Time } from "../../ui/Time.tsx";
import { contactOf } from "./contact.ts";
import { GroupBadge } from "./GroupRow.tsx";
import css from "./Page.module.css";

/** Whether the group does its work, and by which key it is known. */
export function GroupFacts({ group, queue }: { group: RunnerGroup; queue: GroupQueue | undefined }) {
  const { last_contact_at, last_dispatch_error, last_dispatch_error_at, labels } = group;
  const isAway = contactOf(group, Date.now()).tone === "bad";
  return (
    <>
      {(isAway || last_dispatch_error) && (
        <div className={css.notices}>
          {isAway && (
            <Notice tone="bad">
              No coordinator of this group has called since <Time at={last_contact_at ?? group.created_at} />. What it
              would run waits until one does.
            </Notice>
          )}
          {last_dispatch_error && (
            <Notice tone="warn">
              A run could not be started {last_dispatch_error_at && <Time at={last_dispatch_error_at} />}:{" "}
              {last_dispatch_error}
            </Notice>
          )}
        </div>
      )}
      <Facts
        facts={[
          ["State", <GroupBadge key="state" group={group} />],
          ["Seen", last_contact_at ? <Time key="seen" at={last_contact_at} /> : "never"],
          ["Coordinator", group.runner_version ?? "has not said its version"],
          ["Busy", queue ? `${queue.running} of ${queue.capacity}, ${queue.free} free` : "…"],
          [
            "Waiting",
            queue === undefined
              ? "…"
              : queue.pending === 0
                ? "nothing"
                : `${queue.pending.toLocaleString()}, the first for ${span(queue.oldest_pending_seconds * 1_000)}`,
          ],
          ["Runs at once", group.max_concurrent_runs],
          [
            "Labels",
            Object.keys(labels).length === 0 ? (
              "none"
            ) : (
              <span key="labels" className={rows.meta}>
                <Labels labels={labels} />
              </span>
            ),
          ],
          ["Made", <Time key="made" at={group.created_at} />],
        ]}
      />
      <Facts
        facts={[
          ["Group id", <Copied key="id" text={group.id} what="group id" />],
          ["Public key", <Copied key="key" text={group.public_key_fingerprint} what="fingerprint" />],
        ]}
      />
    </>
  );
}

function Copied({ text, what }: { text: string; what: string }) {
  return (
    <span className={css.copied}>
      <code>{text}</code>
      <Copy text={text} what={what} />
    </span>
  );
}
