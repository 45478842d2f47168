import { Button, Group, Modal, type ModalProps, Stack, Text } from "@mantine/core";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { commonTexts } from "@/texts/common";
import { CopyLine } from "./CopyLine";
import { focusHeadingFromDialog } from "./focusHeading";

const texts = commonTexts.secret;

export interface ShownSecret {
  secret: string;
  /** Whose it is, and that it is not shown again. */
  about: string;
  /** The word behind "Copy". */
  label: string;
  /** What it is for. */
  use?: ReactNode;
}

interface SecretDialogProps extends Pick<ModalProps, "opened" | "title" | "size"> {
  /** Absent while the form that makes it is shown. */
  shown: ShownSecret | undefined;
  /** A secret is being made: closing now would lose it. */
  isMaking?: boolean;
  onClose: () => void;
  /** After it has gone from view: forget the secret. */
  onClosed: () => void;
  /** The form. */
  children?: ReactNode;
}

/** The only time that a secret is shown: this closes once somebody has copied it, or says so. */
export function SecretDialog(props: SecretDialogProps) {
  const { shown, isMaking = false, onClose, onClosed, children, ...modal } = props;
  const [isCopied, setCopied] = useState(false);
  const [isWarned, setWarned] = useState(false);
  const close = () => {
    if (shown && !isCopied) setWarned(true);
    else if (!isMaking) onClose();
  };
  const forget = () => {
    setCopied(false);
    setWarned(false);
    onClosed();
    focusHeadingFromDialog();
  };
  return (
    <Modal {...modal} onClose={close} onExitTransitionEnd={forget} closeOnClickOutside={shown !== undefined}>
      {shown ? (
        <Secret
          {...shown}
          warning={isWarned && !isCopied ? texts.copyFirst : null}
          onCopied={() => setCopied(true)}
          onClose={onClose}
        />
      ) : (
        children
      )}
    </Modal>
  );
}

interface SecretProps extends ShownSecret {
  warning: string | null;
  onCopied: () => void;
  onClose: () => void;
}

function Secret({ secret, about, label, use, warning, onCopied, onClose }: SecretProps) {
  const copy = useRef<HTMLButtonElement>(null);
  // The button that was pressed is gone with the form.
  useEffect(() => copy.current?.focus(), []);
  return (
    <Stack>
      <Text size="sm" role="status">
        {about}
      </Text>
      <CopyLine text={secret} label={label} buttonRef={copy} onCopied={onCopied} />
      {use && (
        <Text size="sm" c="dimmed">
          {use}
        </Text>
      )}
      {warning && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {warning}
        </Text>
      )}
      <Group justify="flex-end">
        <Button onClick={onClose}>{texts.copied}</Button>
      </Group>
    </Stack>
  );
}
