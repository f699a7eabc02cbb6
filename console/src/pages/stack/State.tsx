import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { permissionsQuery, useMay } from "../../data/permissions.ts";
import { stackQuery } from "../../data/stacks.ts";
import { stateVersionsQuery } from "../../data/state.ts";
import type { Stack } from "../../data/types.ts";
import { Panel } from "../../ui/Panel.tsx";
import { Failed, Forbidden, Loading } from "../../ui/states.tsx";
import { StateCompare } from "./StateCompare.tsx";
import { StateLock } from "./StateLock.tsx";
import { StatePlace } from "./StatePlace.tsx";
import { StateVersions } from "./StateVersions.tsx";

const route = getRouteApi("/orgs/$org/stacks/$stack/state");

/** Where the state of a stack is, who has its lock, and all that was stored of it. */
export default function State() {
  const { org, stack: id } = route.useParams();
  const { data: stack } = useQuery(stackQuery(org, id));
  const { data: permissions, error, refetch } = useQuery(permissionsQuery(org));
  const may = useMay(org);
  if (stack === undefined) return null;
  if (permissions === undefined) {
    return error ? <Failed error={error} onRetry={() => void refetch()} /> : <Loading lines={6} />;
  }
  const mayDo = (action: string) => may("stack", action, stack.name, stack.authz_groups);
  if (mayDo("read_state")) return <Readable stack={stack} mayWrite={mayDo("write_state")} />;
  return (
    <>
      <StatePlace stack={stack} />
      <Panel title="Versions">
        <Forbidden>
          A state holds secrets, so reading it is a permission of its own. Whoever administers the organization can give
          you a role with it.
        </Forbidden>
      </Panel>
    </>
  );
}

function Readable({ stack, mayWrite }: { stack: Stack; mayWrite: boolean }) {
  const { org_id: org, id } = stack;
  const versions = useInfiniteQuery(stateVersionsQuery(org, id));
  const { to, from } = route.useSearch();
  const known = versions.data ?? [];
  return (
    <>
      <StatePlace stack={stack} {...(versions.data && { last: versions.data[0] ?? null })} />
      <StateLock stack={stack} mayWrite={mayWrite} />
      {to !== undefined && known.length > 0 && <StateCompare stack={stack} versions={known} {...{ to, from }} />}
      <StateVersions stack={stack} list={versions} mayWrite={mayWrite} compared={to} />
    </>
  );
}
