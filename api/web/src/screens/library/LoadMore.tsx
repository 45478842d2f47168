import { Button, Center } from "@mantine/core";
import { useEffect } from "react";
import { useNear } from "./useNear";

interface LoadMoreProps {
  loading: boolean;
  /** Nothing else is being asked: asking for more now would get in its way. */
  idle: boolean;
  failed: boolean;
  load: () => void;
}

/** Loads the next videos when it comes near the window; the button is for when that did not work. */
export function LoadMore({ loading, idle, failed, load }: LoadMoreProps) {
  const { ref, near } = useNear<HTMLDivElement>(false);
  useEffect(() => {
    if (near && idle && !failed) load();
  }, [near, idle, failed, load]);
  return (
    <Center ref={ref} py="md">
      <Button variant="default" loading={loading} onClick={load}>
        {failed ? "More could not be loaded. Try again" : "Show more"}
      </Button>
    </Center>
  );
}
