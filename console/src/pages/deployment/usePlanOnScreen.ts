import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { Deployment } from "../../data/types.ts";
import { toggled } from "../../plan/selection.ts";
import { NO_PLAN, type PlanOnScreen, showNewer, withNamed, withNewest } from "./planOnScreen.ts";
import { madePlans } from "./planState.ts";

export type Screen = PlanOnScreen & {
  /** Looks at the newer plan. */
  showNewer: () => void;
  /** The person asked for another plan: that one is shown once it is there. */
  clear: () => void;
  /** Addresses that are ticked. */
  picked: ReadonlySet<string>;
  pick: (address: string) => void;
  unpick: () => void;
};

const NOTHING: ReadonlySet<string> = new Set();
const route = getRouteApi("/orgs/$org/stacks/$stack/deployments/$id");

export function usePlanOnScreen(deployment: Deployment): Screen {
  const { plan: named } = route.useSearch();
  const navigate = route.useNavigate();
  const made = madePlans(deployment).map(({ run }) => run.id);
  const newest = made.at(-1) ?? null;
  const [passed, setPassed] = useState<string | null>(null);
  const [followed, setFollowed] = useState<PlanOnScreen>(() => withNewest(NO_PLAN, newest));
  const [picked, setPicked] = useState(NOTHING);
  useEffect(() => {
    if (newest !== passed) setFollowed((now) => withNewest(now, newest));
  }, [newest, passed]);
  const [pick] = useState(() => (address: string) => setPicked((now) => toggled(now, address)));
  const follow = (next: PlanOnScreen | ((now: PlanOnScreen) => PlanOnScreen)) => {
    setFollowed(next);
    setPicked(NOTHING);
    if (named === undefined) return;
    void navigate({ search: (now) => ({ ...now, plan: undefined }), replace: true, resetScroll: false });
  };
  return {
    ...withNamed(followed, named, made),
    picked,
    pick,
    unpick: () => setPicked(NOTHING),
    showNewer: () => follow(showNewer),
    clear: () => {
      setPassed(newest);
      follow(NO_PLAN);
    },
  };
}
