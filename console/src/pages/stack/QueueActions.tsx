import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { keys } from "../../data/keys.ts";
import type { Deployment } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Button } from "../../ui/Button.tsx";

type Verb = "prioritize" | "deprioritize" | "skip";
const VERBS: readonly { verb: Verb; label: string; done: string }[] = [
  { verb: "prioritize", label: "To the front", done: "It comes next" },
  { verb: "deprioritize", label: "Back in line", done: "It waits for its turn again" },
  { verb: "skip", label: "Skip", done: "It was skipped" },
];

/** What this person may do with one that waits in the queue. */
export function QueueActions({ deployment }: { deployment: Deployment }) {
  const { org_id, stack_id, id, allowed_actions } = deployment;
  const act = useWrite(
    (verb: Verb, headers) =>
      answerOf(
        api.POST(`/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/${verb}`, {
          params: { path: { org_id, stack_id, id } },
          headers,
        }),
      ),
    {
      changes: [keys.stackWork(org_id, stack_id), keys.overview(org_id)],
      onDone: (_, verb) => toast(VERBS.find((one) => one.verb === verb)?.done ?? ""),
    },
  );
  return (
    <>
      {VERBS.filter(({ verb }) => allowed_actions.includes(verb)).map(({ verb, label }) => (
        <Button
          key={verb}
          small
          busy={act.isPending && act.variables === verb}
          title={act.error?.message}
          onClick={() => act.mutate(verb, { onError: (error) => toast(error.message, "bad") })}
        >
          {label}
        </Button>
      ))}
    </>
  );
}
