/** Which rows of a list that scrolls with the page are in sight, and where each lies. They have any height. */
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect, useRef, useState } from "react";

type Rows = {
  count: number;
  /** About how high a row is. */
  rowHeight: number;
  /** Rows beside those in sight. */
  beside: number;
  rowKey: (index: number) => string | number;
};

export function useWindowRows<E extends HTMLElement>({ count, rowHeight, beside, rowKey }: Rows) {
  const frame = useRef<E>(null);
  const [above, setAbove] = useState(0);
  useLayoutEffect(() => {
    const top = frame.current?.getBoundingClientRect().top ?? 0;
    const now = Math.round(top + window.scrollY);
    if (now !== above) setAbove(now);
  });
  const virtual = useWindowVirtualizer({
    count,
    estimateSize: () => rowHeight,
    overscan: beside,
    scrollMargin: above,
    getItemKey: rowKey,
  });
  return { frame, above, virtual };
}
