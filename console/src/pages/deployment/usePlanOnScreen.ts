import { useEffect, useState } from "react";
import type { Deployment } from "../../data/types.ts";
import { toggled } from "../../plan/selection.ts";
import { NO_PLAN, type PlanOnScreen, showNewer, withNewest } from "./planOnScreen.ts";
import { planStages } from "./planState.ts";

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

export function usePlanOnScreen(deployment: Deployment): Screen {
  const newest = planStages(deployment).findLast(({ run }) => run.status === "success")?.run.id ?? null;
  const [passed, setPassed] = useState<string | null>(null);
  const [screen, setScreen] = useState<PlanOnScreen>(() => withNewest(NO_PLAN, newest));
  const [picked, setPicked] = useState(NOTHING);
  useEffect(() => {
    if (newest !== passed) setScreen((now) => withNewest(now, newest));
  }, [newest, passed]);
  const [pick] = useState(() => (address: string) => setPicked((now) => toggled(now, address)));
  return {
    ...screen,
    picked,
    pick,
    unpick: () => setPicked(NOTHING),
    showNewer: () => {
      setScreen(showNewer);
      setPicked(NOTHING);
    },
    clear: () => {
      setPassed(newest);
      setScreen(NO_PLAN);
      setPicked(NOTHING);
    },
  };
}
