import { fromLocal, toLocal } from "./localTime.ts";
import css from "./RangeFilter.module.css";

type Range = { since?: string | undefined; until?: string | undefined };

/** From when until when, in the reader's own time. */
export function RangeFilter({ since, until, onChange }: Range & { onChange: (range: Range) => void }) {
  return (
    <span className={css.range}>
      <label className={css.label}>
        From
        <input
          type="datetime-local"
          className={css.control}
          value={toLocal(since)}
          onChange={(event) => onChange({ since: fromLocal(event.target.value) })}
        />
      </label>
      <label className={css.label}>
        until
        <input
          type="datetime-local"
          className={css.control}
          value={toLocal(until)}
          onChange={(event) => onChange({ until: fromLocal(event.target.value) })}
        />
      </label>
    </span>
  );
}
