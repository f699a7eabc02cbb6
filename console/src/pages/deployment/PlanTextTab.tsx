import { useQuery } from "@tanstack/react-query";
import { ApiError } from "../../../../clients/api/problem.ts";
import { deploymentUrl, planTextQuery } from "../../data/plans.ts";
import { buttonClass } from "../../ui/Button.tsx";
import { Copy } from "../../ui/Copy.tsx";
import { LongList } from "../../ui/LongList.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import css from "./PlanTextTab.module.css";
import type { TabProps } from "./tabProps.ts";

const ROW_PX = 20;
const SIGN = /^\s*([-+~]|-\/\+|\+\/-|<=)\s/;

/** The plan in the engine's own words. */
export default function PlanTextTab({ place, screen }: TabProps) {
  const { shown } = screen;
  const text = useQuery({ ...planTextQuery(place, shown ?? ""), enabled: shown !== null });
  if (shown === null) return <Empty title="There is no plan yet" />;
  if (text.data === undefined) {
    if (text.error === null) return <Loading lines={10} />;
    if (text.error instanceof ApiError && text.error.status === 404) return <Empty title="The text was not kept" />;
    return <Failed error={text.error} onRetry={() => void text.refetch()} />;
  }
  const lines = text.data.replace(/\n$/, "").split("\n");
  return (
    <section className={css.text} aria-label="The plan in the engine's own words">
      <div className={css.tools}>
        <span className={css.count}>{lines.length.toLocaleString("en")} lines, sensitive values taken out</span>
        <Copy text={text.data} what="plan text" />
        <a
          className={buttonClass("quiet", true)}
          href={`${deploymentUrl(place)}/plan/text?run_id=${shown}`}
          target="_blank"
          rel="noreferrer"
        >
          Raw
        </a>
      </div>
      <div className={css.lines}>
        <LongList
          label="Plan text"
          count={lines.length}
          rowHeight={ROW_PX}
          row={(index) => (
            <code className={css.line} data-sign={SIGN.exec(lines[index] ?? "")?.[1]?.[0]}>
              {lines[index]}
            </code>
          )}
        />
      </div>
    </section>
  );
}
