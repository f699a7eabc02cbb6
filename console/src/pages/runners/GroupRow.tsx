import { useQuery } from "@tanstack/react-query";
import { CircleCheck, CircleDashed, CircleX, TriangleAlert } from "lucide-react";
import { groupQueueQuery } from "../../data/orgs.ts";
import type { RunnerGroup } from "../../data/types.ts";
import { Badge } from "../../ui/Badge.tsx";
import { span } from "../../ui/instants.ts";
import { Labels } from "../../ui/Labels.tsx";
import { SplitRow } from "../../ui/SplitRow.tsx";
import { contactOf } from "./contact.ts";

const ICONS = { ok: CircleCheck, run: CircleCheck, wait: TriangleAlert, bad: CircleX, still: CircleDashed };

export function GroupBadge({ group }: { group: RunnerGroup }) {
  const { word, tone } = contactOf(group, Date.now());
  return (
    <Badge tone={tone} icon={ICONS[tone]}>
      {word}
    </Badge>
  );
}

type Props = { group: RunnerGroup; selected: boolean; isDefault: boolean };

export function GroupRow({ group, selected, isDefault }: Props) {
  const { id, org_id: org, name, labels } = group;
  const { data: queue } = useQuery(groupQueueQuery(org, id));
  return (
    <SplitRow
      link={{ to: "/orgs/$org/runners", params: { org }, search: { group: id } }}
      title={name}
      selected={selected}
      end={<GroupBadge group={group} />}
      meta={
        <>
          {isDefault && <span>the default</span>}
          {queue && (
            <span>
              {queue.running} of {queue.capacity} busy
            </span>
          )}
          {queue !== undefined && queue.pending > 0 && (
            <span>
              {queue.pending.toLocaleString()} wait, the first for {span(queue.oldest_pending_seconds * 1_000, 1)}
            </span>
          )}
          <Labels labels={labels} />
        </>
      }
    />
  );
}
