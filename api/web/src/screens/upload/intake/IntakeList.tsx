import { Group, Stack, Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { intakeQuery } from "@/api/queries";
import { BusyButton } from "@/components/BusyButton";
import { ErrorState } from "@/components/ErrorState";
import { useKeepFocus } from "@/components/useKeepFocus";
import { uploadTexts } from "@/texts/upload";
import classes from "./Intake.module.css";
import { IntakeItem } from "./IntakeItem";

const texts = uploadTexts.imports;

/** What the server imports, newest first. */
export function IntakeList() {
  const list = useInfiniteQuery(intakeQuery());
  const items = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data]);
  const holder = useKeepFocus<HTMLUListElement>(items);
  if (list.isError && !list.data) {
    return <ErrorState error={list.error} title={texts.loadingFailed} retry={() => list.refetch()} />;
  }
  if (items.length === 0) return null;
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        {texts.title}
      </Title>
      <ul className={classes.list} ref={holder}>
        {items.map((item) => (
          <IntakeItem key={item.id} item={item} />
        ))}
      </ul>
      {list.hasNextPage && (
        <Group justify="center">
          <BusyButton variant="default" busy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
            {texts.showMore}
          </BusyButton>
        </Group>
      )}
    </Stack>
  );
}
