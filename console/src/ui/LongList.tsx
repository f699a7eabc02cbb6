/**
 * A list of which only what is in sight is rendered. Browsers cut elements off at some tens of millions of pixels, so
 * beyond eight million the scroll bar stands for more than it is long.
 */
import { elementScroll, observeElementOffset, useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, type Ref, useImperativeHandle, useRef } from "react";
import { classes } from "./classes.ts";
import css from "./LongList.module.css";

const TALLEST_PX = 8_000_000;

export type LongListHandle = { scrollTo(index: number, align?: "start" | "center" | "auto"): void };

type Props = {
  label: string;
  count: number;
  rowHeight: number;
  row: (index: number) => ReactNode;
  rowKey?: (index: number) => string | number;
  className?: string | undefined;
  overscan?: number;
  handle?: Ref<LongListHandle>;
  /** The first and last row in sight. */
  onRange?: (first: number, last: number) => void;
};

export function LongList(props: Props) {
  const { label, count, rowHeight, row, rowKey, className, overscan = 12, handle, onRange } = props;
  const frame = useRef<HTMLDivElement>(null);
  const whole = count * rowHeight;
  const scale = Math.max(1, whole / TALLEST_PX);
  const virtual = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan,
    ...(rowKey && { getItemKey: rowKey }),
    observeElementOffset: (instance, onOffset) =>
      observeElementOffset(instance, (offset, isScrolling) => onOffset(offset * scale, isScrolling)),
    scrollToFn: (offset, options, instance) => elementScroll(offset / scale, options, instance),
    onChange: ({ range }) => range && onRange?.(range.startIndex, range.endIndex),
  });
  useImperativeHandle(handle, () => ({
    scrollTo: (index, align = "center") => virtual.scrollToIndex(index, { align }),
  }));
  const shift = (virtual.scrollOffset ?? 0) * (1 - 1 / scale);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <section ref={frame} className={classes(css.frame, className)} aria-label={label} tabIndex={0}>
      <div className={css.whole} style={{ blockSize: Math.min(whole, TALLEST_PX) }}>
        {virtual.getVirtualItems().map(({ key, index, start }) => (
          <div key={key} className={css.row} style={{ blockSize: rowHeight, translate: `0 ${start - shift}px` }}>
            {row(index)}
          </div>
        ))}
      </div>
    </section>
  );
}
