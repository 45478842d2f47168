import { Button, Center } from "@mantine/core";
import { useEffect } from "react";
import { ErrorState } from "@/components/ErrorState";
import { videosTexts } from "@/texts/videos";
import { useNear } from "./useNear";

interface LoadMoreProps {
  loading: boolean;
  /** Nothing else is being asked: asking for more now would get in its way. */
  idle: boolean;
  /** Why there is no more yet, if that is so. */
  error: Error | null;
  load: () => void;
}

/** Loads the next videos when it comes near the window. */
export function LoadMore({ loading, idle, error, load }: LoadMoreProps) {
  const { ref, near } = useNear<HTMLDivElement>(false);
  useEffect(() => {
    if (near && idle && !error) load();
  }, [near, idle, error, load]);
  return (
    <Center ref={ref} py="md">
      {error ? (
        <ErrorState title={videosTexts.loadingMoreFailed} error={error} retry={load} />
      ) : (
        <Button variant="default" loading={loading} onClick={load}>
          {videosTexts.showMore}
        </Button>
      )}
    </Center>
  );
}
