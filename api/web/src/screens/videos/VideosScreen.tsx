import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { CloudUpload } from "lucide-react";
import { useCallback, useMemo } from "react";
import { videosQuery } from "@/api/queries";
import type { Video } from "@/api/types";
import { ErrorState } from "@/components/ErrorState";
import { ButtonLink } from "@/components/links";
import { PageHeader } from "@/components/PageHeader";
import { PoliteProgress } from "@/components/PoliteProgress";
import { RowsSkeleton } from "@/components/Skeletons";
import { useKeepFocus } from "@/components/useKeepFocus";
import { useSelection } from "@/components/useSelection";
import type { VideosSearch } from "@/search";
import { videosTexts } from "@/texts/videos";
import { useVideoActions } from "../video/actions/useVideoActions";
import { LoadMore } from "./LoadMore";
import { SelectionBar } from "./SelectionBar";
import { spokenList } from "./spokenList";
import { VideoFilters } from "./VideoFilters";
import { VideoGrid } from "./VideoGrid";
import { NoMatch, NoVideos } from "./VideosEmpty";
import { VideoTable } from "./VideoTable";

const route = getRouteApi("/shell/library");
const none: Video[] = [];

export function VideosScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { status, collection, search: text, view } = search;
  const videos = useInfiniteQuery({
    ...videosQuery({ status, collection, search: text }),
    placeholderData: keepPreviousData,
  });
  const { data, fetchNextPage } = videos;
  const items = useMemo(() => data?.pages.flatMap((page) => page.items) ?? none, [data]);
  const actions = useVideoActions();
  const selection = useSelection(items, JSON.stringify([status, collection, text]));
  const holder = useKeepFocus<HTMLDivElement>(items);

  const change = useCallback(
    (part: VideosSearch) => void navigate({ search: (old) => ({ ...old, ...part }), replace: "search" in part }),
    [navigate],
  );
  const loadMore = useCallback(() => void fetchNextPage({ cancelRefetch: false }), [fetchNextPage]);
  const filtered = Boolean(status || collection || text);
  const nothing = data !== undefined && items.length === 0 && !videos.isPlaceholderData;
  const empty = nothing && !filtered;

  return (
    <>
      <PageHeader
        title={videosTexts.title}
        actions={
          !empty && (
            <ButtonLink to="/upload" leftSection={<CloudUpload size={16} aria-hidden />}>
              {videosTexts.upload}
            </ButtonLink>
          )
        }
      />
      {!empty && <VideoFilters value={search} onChange={change} />}
      {videos.isPending && <RowsSkeleton rows={8} height={64} />}
      {videos.isError && !data && (
        <ErrorState title={videosTexts.loadingFailed} error={videos.error} retry={() => videos.refetch()} />
      )}
      {empty && <NoVideos />}
      {nothing && filtered && <NoMatch onClear={() => void navigate({ search: { view } })} />}
      {items.length > 0 && (
        <div ref={holder} style={{ opacity: videos.isPlaceholderData ? 0.55 : 1 }} aria-busy={videos.isPlaceholderData}>
          {view === "grid" ? (
            <VideoGrid items={items} selection={selection} actions={actions} />
          ) : (
            <VideoTable items={items} selection={selection} actions={actions} />
          )}
        </div>
      )}
      {videos.hasNextPage && (
        <LoadMore
          loading={videos.isFetchingNextPage}
          idle={!videos.isFetching}
          error={videos.isFetchNextPageError ? videos.error : null}
          load={loadMore}
        />
      )}
      <SelectionBar videos={selection.chosen} actions={actions} onClear={selection.clear} />
      <div role="status" className="visually-hidden">
        {data && !videos.isPlaceholderData && videosTexts.shown(items.length)}
      </div>
      <PoliteProgress text={spokenList(items)} />
    </>
  );
}
