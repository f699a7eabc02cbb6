import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Minus, Pencil, Plus } from "lucide-react";
import { stateChangesQuery } from "../../data/state.ts";
import type { Stack, StateChanges, StateVersion } from "../../data/types.ts";
import { Badge } from "../../ui/Badge.tsx";
import { buttonClass } from "../../ui/Button.tsx";
import { Field } from "../../ui/Field.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Panel.tsx";
import rows from "../../ui/rows.module.css";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import css from "./State.module.css";
import { countsOf } from "./stateDifference.ts";

const route = getRouteApi("/orgs/$org/stacks/$stack/state");

const SIGNS = {
  add: { word: "Added", tone: "ok", icon: Plus },
  change: { word: "Changed", tone: "wait", icon: Pencil },
  destroy: { word: "Gone", tone: "bad", icon: Minus },
} as const;

type Props = { stack: Stack; versions: readonly StateVersion[]; to: string; from: string | undefined };

/** What one version has and another has not, by name: a state does not say of each value whether it is a secret. */
export function StateCompare({ stack: { org_id: org, id: stack }, versions, to, from }: Props) {
  const navigate = route.useNavigate();
  const { data, error, refetch } = useQuery(stateChangesQuery(org, stack, to, from));
  const before = from ?? data?.from ?? "";
  const set = (search: { to: string; from: string | undefined }) => void navigate({ search, replace: true });
  const counts = countsOf(data?.items ?? []);
  const close = (
    <Link
      to="/orgs/$org/stacks/$stack/state"
      params={{ org, stack }}
      search={{}}
      className={buttonClass("quiet", true)}
      replace
    >
      Close
    </Link>
  );
  return (
    <Panel title="What differs" count={`+${counts.add} ~${counts.change} -${counts.destroy}`} more={close}>
      <div className={css.pair}>
        <Field label="From">
          <select value={before} onChange={({ target }) => set({ to, from: target.value || undefined })}>
            {before === "" && <option value="">{data ? "nothing, it is the first" : "the one before"}</option>}
            {optionsOf(versions, before, to)}
          </select>
        </Field>
        <Field label="To">
          <select value={to} onChange={({ target }) => set({ to: target.value, from: before || undefined })}>
            {optionsOf(versions, to, before)}
          </select>
        </Field>
      </div>
      {data === undefined && (error ? <Failed error={error} onRetry={() => void refetch()} /> : <Loading />)}
      {data && !data.complete && (
        <div className={css.notice}>
          <Notice tone="warn">There is more than this. Download both to compare all of them.</Notice>
        </div>
      )}
      {data?.items.length === 0 && <Empty title="The same resources and outputs, with the same values" />}
      {data !== undefined && data.items.length > 0 && (
        <ul className={rows.rows} aria-label="Differences">
          {data.items.map((item) => (
            <Difference key={item.address} {...item} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** @param shown is one of them, also where its page of the list is not read yet. @param other is none of them */
function optionsOf(versions: readonly StateVersion[], shown: string, other: string) {
  const known = versions.filter(({ id }) => id !== other || id === shown);
  const isKnown = shown === "" || known.some(({ id }) => id === shown);
  return (
    <>
      {!isKnown && <option value={shown}>{shown}</option>}
      {known.map(({ id, number, serial }) => (
        <option key={id} value={id}>
          Version {number}, serial {serial}
        </option>
      ))}
    </>
  );
}

function Difference({ address, action, attributes }: StateChanges["items"][number]) {
  const { word, tone, icon } = SIGNS[action];
  return (
    <li className={rows.row}>
      <span className={css.change}>
        <Badge tone={tone} icon={icon}>
          {word}
        </Badge>
        <code className={rows.mono}>{address}</code>
      </span>
      {attributes.length > 0 && (
        <span className={rows.meta}>
          {attributes.map((name) => (
            <code key={name}>{name}</code>
          ))}
        </span>
      )}
    </li>
  );
}
