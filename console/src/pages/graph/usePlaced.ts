import { startTransition, useEffect, useState } from "react";
import { openWorker } from "../../data/worker.ts";
import layoutUrl from "./layout.worker.ts?worker&url";
import type { Placed, PlanOfGraph } from "./placed.ts";

export type Layout = { placed: Placed | null; failed: boolean };

/** Lay `plan` out on another thread; the last drawing stays until the next one is there. */
export function usePlaced(plan: PlanOfGraph): Layout {
  const [layout, setLayout] = useState<Layout & { of: PlanOfGraph | null }>({ placed: null, failed: false, of: null });
  useEffect(() => {
    const worker = openWorker(layoutUrl);
    // Hundreds of stacks are rendered between what people do, not in one go.
    worker.onmessage = ({ data }: MessageEvent<{ placed: Placed }>) =>
      startTransition(() => setLayout({ placed: data.placed, failed: false, of: plan }));
    worker.onerror = () => setLayout({ placed: null, failed: true, of: plan });
    worker.postMessage({ id: 0, plan });
    // Whoever changes the filter in the middle of it wants another one.
    return () => worker.terminate();
  }, [plan]);
  const current = layout.of !== null && layout.of.ids === plan.ids;
  return current || layout.failed ? layout : { placed: null, failed: false };
}
