import { useQuery } from "@tanstack/react-query";
import { activityQuery } from "../../data/plans.ts";
import { ActorName } from "../../ui/ActorName.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { Time } from "../../ui/Time.tsx";
import css from "./EventsTab.module.css";
import { detailsText, eventText } from "./eventText.ts";
import type { TabProps } from "./tabProps.ts";

/** What people did to it, and what was done on their behalf. */
export default function EventsTab({ place }: TabProps) {
  const { data, error, refetch } = useQuery(activityQuery(place));
  if (data === undefined) {
    return error === null ? <Loading lines={4} /> : <Failed error={error} onRetry={() => void refetch()} />;
  }
  if (data.length === 0) return <Empty title="Nothing has been done to it yet" />;
  return (
    <ol className={css.events}>
      {data.map(({ id, kind, actor, created_at, details }) => (
        <li key={id} className={css.event}>
          <span className={css.what}>{eventText(kind)}</span>
          <ActorName actor={actor} />
          <Time at={created_at} />
          {detailsText(details).map(([name, text]) => (
            <span key={name} className={css.detail}>
              {name} <code>{text}</code>
            </span>
          ))}
        </li>
      ))}
    </ol>
  );
}
