import { Collapse, UnstyledButton } from "@mantine/core";
import { ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import { CopyLine } from "@/components/CopyLine";
import classes from "./VideoScreen.module.css";

/** What only engineers want to read, behind a click. */
export function TechnicalLines({ text }: { text: string }) {
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
        Technical lines
      </UnstyledButton>
      <Collapse id={id} expanded={open}>
        <div className={classes.technical}>
          <CopyLine text={text} label="the technical lines" />
        </div>
      </Collapse>
    </div>
  );
}
