import { Menu } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { PenLine, Trash2 } from "lucide-react";
import { api } from "@/api/client";
import { keys } from "@/api/keys";
import { useAction } from "@/api/mutations";
import type { Collection } from "@/api/types";
import { ActionMenu } from "@/components/ActionMenu";
import { confirm } from "@/components/confirm";
import { TextLink } from "@/components/links";
import { collectionsTexts as texts } from "@/texts/collections";
import { CollectionDialog } from "./CollectionDialog";
import classes from "./Collections.module.css";
import { countWords, ruleWords } from "./collectionWords";

export function CollectionRow({ collection }: { collection: Collection }) {
  const { name } = collection;
  const [editing, dialog] = useDisclosure(false);
  const remove = useAction({
    run: () => api.DELETE("/api/collections/{name}", { params: { path: { name } } }),
    done: () => texts.menu.deleted(name),
    failed: texts.menu.deleteFailed,
    touches: [keys.collections, keys.videos.all],
  });
  const ask = () =>
    confirm({
      title: texts.menu.deleteTitle(name),
      text: texts.menu.deleteText,
      confirm: texts.menu.deleteConfirm,
      onConfirm: () => remove.mutate(undefined),
    });
  const rules = ruleWords(collection);
  return (
    <li className={classes.row} data-row={collection.id}>
      <div className={classes.about}>
        <TextLink to="/library" search={{ collection: name }} className={classes.name}>
          {name}
        </TextLink>
        <div className={classes.note}>{countWords(collection)}</div>
        <ul className={classes.rules}>
          {rules.length === 0 && <li>{texts.row.noRules}</li>}
          {rules.map((rule) => (
            <li key={rule}>{rule}</li>
          ))}
        </ul>
      </div>
      <ActionMenu label={texts.menu.label(name)}>
        {(pick) => (
          <>
            <Menu.Item leftSection={<PenLine size={16} aria-hidden />} onClick={pick(dialog.open)}>
              {texts.menu.edit}
            </Menu.Item>
            <Menu.Item
              leftSection={<Trash2 size={16} aria-hidden />}
              color="var(--mantine-color-error)"
              onClick={pick(ask)}
            >
              {texts.menu.delete}
            </Menu.Item>
          </>
        )}
      </ActionMenu>
      <CollectionDialog collection={collection} opened={editing} onClose={dialog.close} />
    </li>
  );
}
