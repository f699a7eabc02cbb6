import { CircleCheck, CircleDashed, CircleX } from "lucide-react";
import type { ScmIntegration } from "../../data/types.ts";
import { Badge } from "../../ui/Badge.tsx";
import { healthOf } from "./health.ts";

const ICONS = { ok: CircleCheck, bad: CircleX, still: CircleDashed, run: CircleDashed, wait: CircleDashed };

export function HealthBadge({ integration }: { integration: ScmIntegration }) {
  const { word, tone } = healthOf(integration);
  return (
    <Badge tone={tone} icon={ICONS[tone]}>
      {word}
    </Badge>
  );
}
