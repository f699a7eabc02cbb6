/** Adapter on the `scm` task queue: tells a code host how a preview stands. */
import { type Publishing, publishPreview } from "../src/core/pullRequests/publish.ts";
import type { PreviewActivities } from "../workflows/views.ts";

export function previewActivities(publishing: Publishing): PreviewActivities {
  return { publishPreview: (key) => publishPreview(publishing, key) };
}
