/** A list that scrolls with the page, of which only what is in sight is rendered. Its rows have any height. */
import type { ReactNode } from "react";
import { useWindowRows } from "./useWindowRows.ts";
import css from "./WindowList.module.css";

type Props = {
  label: string;
  count: number;
  /** About how high a row is. */
  rowHeight: number;
  rowKey: (index: number) => string;
  row: (index: number) => ReactNode;
};

export function WindowList({ label, count, rowHeight, rowKey, row }: Props) {
  const { frame, above, virtual } = useWindowRows<HTMLUListElement>({ count, rowHeight, beside: 6, rowKey });
  return (
    <ul ref={frame} className={css.list} aria-label={label} style={{ blockSize: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map(({ key, index, start }) => (
        <li
          key={key}
          ref={virtual.measureElement}
          data-index={index}
          aria-setsize={count}
          aria-posinset={index + 1}
          className={css.item}
          style={{ translate: `0 ${start - above}px` }}
        >
          {row(index)}
        </li>
      ))}
    </ul>
  );
}
