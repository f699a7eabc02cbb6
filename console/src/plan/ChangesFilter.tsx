/** What of a plan is looked at: a text, one kind of change, by module or in one list. */

import css from "./ChangesFilter.module.css";
import { type Counts, VIEWS, type View } from "./filter.ts";

type Props = {
  text: string;
  view: View;
  grouped: boolean;
  counts: Counts;
  /** How many of all are shown. */
  shown: number;
  complete: boolean;
  onText: (text: string) => void;
  onView: (view: View) => void;
  onGrouped: (grouped: boolean) => void;
};

const NUMBER = new Intl.NumberFormat("en");

export function ChangesFilter(props: Props) {
  const { text, view, grouped, counts, shown, complete, onText, onView, onGrouped } = props;
  const offered = VIEWS.filter((each) => each === "all" || each === view || counts[each] > 0 || each !== "other");
  return (
    <div className={css.bar}>
      <input
        type="search"
        className={css.text}
        value={text}
        placeholder="Filter by address"
        aria-label="Filter changes by address"
        spellCheck={false}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape" && text === "") event.currentTarget.blur();
        }}
      />
      <fieldset className={css.views}>
        <legend className="sr-only">Kind of change</legend>
        {offered.map((each) => (
          <label key={each} className={css.view} data-tone={each} data-none={counts[each] === 0}>
            <input type="radio" name="view" checked={each === view} onChange={() => onView(each)} />
            <span>
              {each}
              {each !== "all" && <b>{NUMBER.format(counts[each])}</b>}
            </span>
          </label>
        ))}
      </fieldset>
      <label className={css.grouped}>
        <input type="checkbox" checked={grouped} onChange={(event) => onGrouped(event.target.checked)} />
        by module
      </label>
      <output className={css.count} aria-live="off">
        {shown === counts.all ? NUMBER.format(shown) : `${NUMBER.format(shown)} of ${NUMBER.format(counts.all)}`}
        {complete ? "" : ", reading…"}
      </output>
    </div>
  );
}
