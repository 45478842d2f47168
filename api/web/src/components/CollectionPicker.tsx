import { Autocomplete, type AutocompleteProps } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { collectionsQuery } from "@/api/queries";

const LONGEST_NAME = 100;

/** A field for the name of a collection: one that is there, or a new one. */
export function CollectionPicker(props: Omit<AutocompleteProps, "data" | "maxLength">) {
  const { data } = useQuery(collectionsQuery());
  const names = data?.collections.map(({ name }) => name) ?? [];
  return <Autocomplete data={names} maxLength={LONGEST_NAME} {...props} />;
}
