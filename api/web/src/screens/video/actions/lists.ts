/** What the cache already knows of the videos. */
import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import { keys } from "@/api/keys";
import type { Page, Video } from "@/api/types";

type Pages = InfiniteData<Page<Video>>;

/** Takes deleted videos out of every list at once; the server's answer follows. */
export function dropFromLists(client: QueryClient, ids: ReadonlySet<string>): void {
  client.setQueriesData<Pages>(
    { queryKey: keys.videos.lists },
    (old) =>
      old && {
        ...old,
        pages: old.pages.map((page) => ({ ...page, items: page.items.filter(({ id }) => !ids.has(id)) })),
      },
  );
}
