import { ActionIcon, Button, Group, TextInput, Tooltip } from "@mantine/core";
import { PenLine } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import { videoTexts } from "@/texts/video";
import { TITLE_LIMIT } from "./actions/RenameForm";
import { useSaving } from "./actions/useSaving";
import classes from "./VideoScreen.module.css";

/** Letters from which a title would fill the page in the usual size. */
const LONG = 70;

interface InlineTitleProps {
  title: string;
  heading: ReactNode;
  save: (title: string) => Promise<boolean>;
}

/** The heading with a pen; writing happens in its place. */
export function InlineTitle({ title, heading, save }: InlineTitleProps) {
  const [editing, setEditing] = useState(false);
  const pen = useRef<HTMLButtonElement>(null);
  const close = () => {
    setEditing(false);
    // The button is back after the next render.
    setTimeout(() => pen.current?.focus());
  };
  if (editing) {
    return (
      <>
        <div className="visually-hidden">{heading}</div>
        <TitleForm title={title} save={save} close={close} />
      </>
    );
  }
  return (
    <Group gap={6} wrap="nowrap" align="flex-start" className={title.length > LONG ? classes.longTitle : undefined}>
      {heading}
      <Tooltip label={videoTexts.rename}>
        <ActionIcon
          ref={pen}
          variant="subtle"
          color="gray"
          aria-label={videoTexts.rename}
          mt={5}
          onClick={() => setEditing(true)}
        >
          <PenLine size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

const focus = (input: HTMLInputElement | null) => input?.focus();

interface TitleFormProps {
  title: string;
  save: (title: string) => Promise<boolean>;
  close: () => void;
}

function TitleForm({ title, save, close }: TitleFormProps) {
  const [text, setText] = useState(title);
  const wanted = text.trim();
  const { saving, onSubmit } = useSaving(() => (wanted === title ? Promise.resolve(true) : save(wanted)), close);
  return (
    <form onSubmit={onSubmit}>
      <Group gap="xs">
        <TextInput
          aria-label={videoTexts.renameDialog.field}
          flex="1 1 260px"
          value={text}
          maxLength={TITLE_LIMIT}
          ref={focus}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Escape" && close()}
        />
        <Button type="submit" loading={saving} disabled={wanted === ""}>
          {videoTexts.save}
        </Button>
        <Button variant="default" onClick={close}>
          {videoTexts.cancel}
        </Button>
      </Group>
    </form>
  );
}
