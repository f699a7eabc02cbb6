/** The rows of a log that are in sight, below one scroll bar for all of them. */
import {
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { classes } from "../ui/classes.ts";
import css from "./LogRows.module.css";
import { centred, isAtEnd, ROW_PX, scrollHeight, scrollTopFor, topAfterKey, topOf, type Viewport } from "./viewport.ts";

export type LogRowsHandle = { show(row: number): void; showEnd(): void };

type Props = {
  rows: number;
  row: (index: number) => ReactNode;
  wrap: boolean;
  /** The end stays in sight when rows are added. */
  follow: boolean;
  /** A person has scrolled away from the end, or back to it. */
  onFollow: (follow: boolean) => void;
  onRange: (first: number, end: number) => void;
  onKey: (event: KeyboardEvent) => void;
  handle: Ref<LogRowsHandle>;
};

const OVERSCAN = 6;

export function LogRows({ rows, row, wrap, follow, onFollow, onRange, onKey, handle }: Props) {
  const frame = useRef<HTMLElement>(null);
  const [height, setHeight] = useState(600);
  const [scrollTop, setScrollTop] = useState(0);
  /** Scrolled to by us; what differs from it was a person. */
  const own = useRef(0);
  const viewport: Viewport = { rows, height };
  const scrollTo = (to: number) => {
    own.current = to;
    if (frame.current) frame.current.scrollTop = to;
    setScrollTop(to);
  };
  useImperativeHandle(handle, () => ({
    show: (index) => scrollTo(scrollTopFor(viewport, centred(viewport, index))),
    showEnd: () => scrollTo(scrollTopFor(viewport, rows)),
  }));
  useLayoutEffect(() => {
    const element = frame.current as HTMLElement;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end moves with the rows and the height
  useLayoutEffect(() => {
    if (follow) scrollTo(scrollTopFor(viewport, rows));
  }, [follow, rows, height]);
  const top = topOf(viewport, scrollTop);
  const atEnd = isAtEnd(viewport, scrollTop);
  const fits = Math.ceil(height / ROW_PX) + 1;
  const first = wrap && atEnd ? Math.max(0, rows - fits) : Math.max(0, Math.floor(top) - (wrap ? 0 : OVERSCAN));
  const end = Math.min(rows, Math.floor(top) + fits + OVERSCAN);
  useEffect(() => onRange(first, end), [onRange, first, end]);
  const shown = Array.from({ length: Math.max(0, end - first) }, (_, place) => first + place);
  return (
    <section
      ref={frame}
      className={classes(css.frame, wrap && css.wrap)}
      aria-label="Log"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
      tabIndex={0}
      data-lines={rows}
      onScroll={({ currentTarget }) => {
        const now = currentTarget.scrollTop;
        if (Math.abs(now - own.current) > 1) onFollow(isAtEnd(viewport, now));
        own.current = now;
        setScrollTop(now);
      }}
      onKeyDown={(event) => {
        const to = event.ctrlKey || event.metaKey || event.altKey ? null : topAfterKey(viewport, top, event.key);
        if (to === null || event.target !== event.currentTarget) return onKey(event);
        event.preventDefault();
        onFollow(to >= rows);
        scrollTo(scrollTopFor(viewport, to));
      }}
    >
      <div className={css.whole} style={{ blockSize: scrollHeight(viewport) }}>
        <div className={css.layer} style={{ blockSize: Math.min(height, scrollHeight(viewport)) }}>
          <div
            className={classes(css.rows, wrap && atEnd && rows > fits && css.fromEnd)}
            style={{ translate: wrap ? "none" : `0 ${(first - top) * ROW_PX}px` }}
          >
            {shown.map((index) => row(index))}
          </div>
        </div>
      </div>
    </section>
  );
}
