/** Lists that come page by page, as one query that reads on. */
import { infiniteQueryOptions, type QueryKey } from "@tanstack/react-query";

export type Page<T> = { items: T[]; next_cursor: string | null };

export function pagedQuery<T>(
  queryKey: QueryKey,
  read: (page: { cursor?: string }, signal: AbortSignal) => Promise<Page<T>>,
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam === null ? {} : { cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last: Page<T>) => last.next_cursor,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
  });
}
