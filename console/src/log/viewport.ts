/** Which rows are in sight of a scroll bar that may stand for more rows than an element can be high. Pure. */

export const ROW_PX = 24;
/** Browsers cut elements off at some tens of millions of pixels. */
const TALLEST_PX = 8_000_000;

export type Viewport = { rows: number; height: number };

/** How many rows fit, a part of one not counted. */
function fitting({ height }: Viewport): number {
  return Math.max(1, Math.floor(height / ROW_PX));
}

export function scrollHeight({ rows, height }: Viewport): number {
  return Math.max(height, Math.min(rows * ROW_PX, TALLEST_PX));
}

/** The row at the top, with the part of it that is above. */
export function topOf(viewport: Viewport, scrollTop: number): number {
  const range = scrollHeight(viewport) - viewport.height;
  const last = Math.max(0, viewport.rows - viewport.height / ROW_PX);
  if (range <= 0) return 0;
  return Math.min(last, (Math.max(0, scrollTop) / range) * last);
}

/** Where to scroll to for `row` to be at the top, or as near as the end lets it. */
export function scrollTopFor(viewport: Viewport, row: number): number {
  const range = scrollHeight(viewport) - viewport.height;
  const last = Math.max(0, viewport.rows - viewport.height / ROW_PX);
  return last === 0 ? 0 : (Math.min(Math.max(0, row), last) / last) * range;
}

/** The row to put at the top so that `row` stands a third down. */
export function centred(viewport: Viewport, row: number): number {
  return Math.max(0, row - Math.floor(fitting(viewport) / 3));
}

export function isAtEnd(viewport: Viewport, scrollTop: number): boolean {
  return scrollTop >= scrollHeight(viewport) - viewport.height - 2;
}

/** The row at the top after a key; null for a key that does not scroll. */
export function topAfterKey(viewport: Viewport, top: number, key: string): number | null {
  const page = Math.max(1, fitting(viewport) - 2);
  const moves: Record<string, number> = {
    ArrowDown: top + 1,
    ArrowUp: top - 1,
    PageDown: top + page,
    PageUp: top - page,
    Home: 0,
    End: viewport.rows,
  };
  return moves[key] ?? null;
}
