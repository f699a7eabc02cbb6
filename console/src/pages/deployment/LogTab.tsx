import { getRouteApi, useLocation } from "@tanstack/react-router";
import { useMemo } from "react";
import { deploymentUrl } from "../../data/plans.ts";
import type { StageName } from "../../log/LogHead.tsx";
import { LogView } from "../../log/LogView.tsx";
import { Empty } from "../../ui/states.tsx";
import css from "./LogTab.module.css";
import type { TabProps } from "./tabProps.ts";

const route = getRouteApi("/orgs/$org/stacks/$stack/deployments/$id");

const KINDS: Record<string, string> = {
  plan_run: "Plan",
  destroy_run: "Plan of the destroy",
  refresh_run: "Plan of the refresh",
  apply_run: "Apply",
  raw_run: "Command",
};

/** One log of all runs, as they followed one another. */
export default function LogTab({ place, deployment }: TabProps) {
  const { search = "" } = route.useSearch();
  const navigate = route.useNavigate();
  const hash = useLocation({ select: (at) => at.hash });
  const over = deployment.completed_at !== null;
  const runs = deployment.stages.filter(({ run }) => run !== null);
  const names = useMemo(() => stageNames(deployment.stages), [deployment.stages]);
  if (over && runs.every(({ run }) => run?.started_at == null)) {
    return <Empty title="There is no log">No runner ever began a run of this deployment.</Empty>;
  }
  return (
    <section className={css.tab} aria-label="Log of the deployment">
      <LogView
        target={{ url: `${deploymentUrl(place)}/logs`, stages: runs.map(({ stage_id }) => stage_id), over }}
        names={names}
        hash={hash}
        search={search}
        live={!over}
        onSearch={(text) =>
          void navigate({
            search: (now) => ({ ...now, search: text || undefined }),
            hash: true,
            replace: true,
            resetScroll: false,
          })
        }
      />
    </section>
  );
}

/** A second plan of the same deployment has a number. */
function stageNames(stages: TabProps["deployment"]["stages"]): ReadonlyMap<string, StageName> {
  const seen = new Map<string, number>();
  return new Map(
    stages.map(({ stage_id, kind, phase }) => {
      const count = (seen.get(kind) ?? 0) + 1;
      seen.set(kind, count);
      const name = `${KINDS[kind] ?? kind}${count > 1 ? ` ${count}` : ""}`;
      return [stage_id, { name, state: phase.replaceAll("_", " ") }];
    }),
  );
}
