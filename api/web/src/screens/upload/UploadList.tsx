import { Stack, Text, Title } from "@mantine/core";
import { useRef, useSyncExternalStore } from "react";
import { focusHeading } from "@/components/focusHeading";
import { PoliteProgress } from "@/components/PoliteProgress";
import { formatPercent } from "@/format/count";
import { uploadTexts } from "@/texts/upload";
import { type Totals, totalsOf } from "@/uploads/rows";
import type { Uploader } from "@/uploads/uploader";
import { UploadItem } from "./UploadItem";
import classes from "./UploadList.module.css";
import { UploadToolbar } from "./UploadToolbar";

interface UploadListProps {
  uploader: Uploader;
  onFiles: (files: File[]) => Promise<unknown>;
}

export function UploadList({ uploader, onFiles }: UploadListProps) {
  const rows = useSyncExternalStore(uploader.subscribe, uploader.getRows);
  const heading = useRef<HTMLHeadingElement>(null);
  const totals = totalsOf(rows);
  /** The button that was pressed is gone; the heading too, with the last file. */
  const onRemoved = () => {
    if (uploader.getRows().length > 0) heading.current?.focus({ preventScroll: true });
    else focusHeading();
  };
  if (rows.length === 0) {
    return (
      <Text c="dimmed" ta="center">
        {uploadTexts.empty}
      </Text>
    );
  }
  return (
    <Stack gap="sm">
      <Title order={2} size="h4" ref={heading} tabIndex={-1}>
        {uploadTexts.files(rows.length)}
      </Title>
      <UploadToolbar uploader={uploader} totals={totals} onRemoved={onRemoved} />
      <PoliteProgress text={spoken(totals)} news={newsOf(totals)} />
      <ul className={classes.list}>
        {rows.map((row) => (
          <li key={row.id} className={classes.item}>
            <UploadItem row={row} uploader={uploader} onFiles={onFiles} onRemoved={onRemoved} />
          </li>
        ))}
      </ul>
    </Stack>
  );
}

function newsOf({ done, files, by }: Totals): string {
  return `${done === files}, ${by.failed} failed, ${by.unsupported} unsupported`;
}

function spoken({ files, done, size, sent, by }: Totals): string {
  const parts = [];
  if (done < files)
    parts.push(uploadTexts.someUploaded(done, files, formatPercent(size === 0 ? 0 : (sent / size) * 100)));
  else if (files > 0) parts.push(uploadTexts.allUploaded(files));
  if (by.failed > 0) parts.push(uploadTexts.someFailed(by.failed));
  if (by.unsupported > 0) parts.push(uploadTexts.someUnsupported(by.unsupported));
  return parts.join(" ");
}
