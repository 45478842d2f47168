import { Collapse, UnstyledButton } from "@mantine/core";
import { ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import { CopyLine } from "@/components/CopyLine";
import { videoTexts } from "@/texts/video";
import classes from "./VideoScreen.module.css";

interface TechnicalLinesProps {
  text: string;
  title?: string;
}

/** What only engineers want to read, behind a click. */
export function TechnicalLines({ text, title = videoTexts.technical.title }: TechnicalLinesProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <div>
      <UnstyledButton
        className={classes.disclosure}
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        <ChevronRight size={14} aria-hidden data-open={open || undefined} />
        {title}
      </UnstyledButton>
      <Collapse id={id} expanded={open}>
        <div className={classes.technical}>
          <CopyLine text={text} label={videoTexts.technical.copy} />
        </div>
      </Collapse>
    </div>
  );
}
