import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Folders, Plus } from "lucide-react";
import { collectionsQuery } from "@/api/queries";
import { EmptyState } from "@/components/EmptyState";
import { ErrorState } from "@/components/ErrorState";
import { PageHeader } from "@/components/PageHeader";
import { RowsSkeleton } from "@/components/Skeletons";
import { useKeepFocus } from "@/components/useKeepFocus";
import { collectionsTexts as texts } from "@/texts/collections";
import { CollectionDialog } from "./CollectionDialog";
import { CollectionRow } from "./CollectionRow";
import classes from "./Collections.module.css";

export function CollectionsScreen() {
  const collections = useQuery(collectionsQuery());
  const [adding, dialog] = useDisclosure(false);
  const known = collections.data?.collections ?? [];
  const holder = useKeepFocus<HTMLUListElement>(known);
  return (
    <>
      <PageHeader
        title={texts.title}
        actions={
          <Button leftSection={<Plus size={16} aria-hidden />} onClick={dialog.open}>
            {texts.newCollection}
          </Button>
        }
      >
        {texts.subtitle}
      </PageHeader>
      {collections.isPending && <RowsSkeleton rows={3} height={64} />}
      {collections.isError && !collections.data && (
        <ErrorState error={collections.error} title={texts.loadError} retry={() => collections.refetch()} />
      )}
      {collections.data && known.length === 0 && (
        <EmptyState icon={Folders} title={texts.empty.title}>
          {texts.empty.text}
        </EmptyState>
      )}
      <ul className={classes.list} ref={holder}>
        {known.map((collection) => (
          <CollectionRow key={collection.id} collection={collection} />
        ))}
      </ul>
      <CollectionDialog opened={adding} onClose={dialog.close} />
    </>
  );
}
