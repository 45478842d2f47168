import { ActionIcon, Code, Group, Tooltip } from "@mantine/core";
import { Check, Copy } from "lucide-react";
import { type Ref, useEffect, useState } from "react";
import { commonTexts } from "@/texts/common";
import { copyText } from "./copy";

const SHOWN_MS = 2_000;
type Outcome = "none" | "copied" | "failed";

const words: Record<Outcome, string> = {
  none: commonTexts.copy.button,
  copied: commonTexts.copy.copied,
  failed: commonTexts.copy.denied,
};

interface CopyLineProps {
  text: string;
  label: string;
  buttonRef?: Ref<HTMLButtonElement>;
  onCopied?: () => void;
}

/** A line of text, usually a command, with a button that copies it. */
export function CopyLine({ text, label, buttonRef, onCopied }: CopyLineProps) {
  const [outcome, setOutcome] = useState<Outcome>("none");
  useEffect(() => {
    if (outcome === "none") return;
    const timer = setTimeout(() => setOutcome("none"), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);

  const copy = async () => {
    const isCopied = await copyText(text);
    setOutcome(isCopied ? "copied" : "failed");
    if (isCopied) onCopied?.();
  };

  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Code block className="any-break" style={{ flex: 1, whiteSpace: "pre-wrap" }}>
        {text}
      </Code>
      <Tooltip label={words[outcome]} opened={outcome === "none" ? undefined : true}>
        <ActionIcon
          ref={buttonRef}
          data-autofocus={buttonRef ? true : undefined}
          variant="default"
          size="lg"
          aria-label={commonTexts.copy.buttonFor(label)}
          onClick={copy}
        >
          {outcome === "copied" ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
        </ActionIcon>
      </Tooltip>
      <span className="visually-hidden" aria-live="polite">
        {outcome === "none" ? "" : words[outcome]}
      </span>
    </Group>
  );
}
