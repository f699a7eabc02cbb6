import type { StackDrift } from "../data/types.ts";
import { Badge } from "./Badge.tsx";
import { driftSign } from "./driftText.ts";

export function DriftBadge({ status }: { status: StackDrift["status"] }) {
  const { tone, word, icon } = driftSign(status);
  return (
    <Badge tone={tone} icon={icon}>
      {word}
    </Badge>
  );
}
