import { Stack, Text, Title } from "@mantine/core";
import { useRef, useSyncExternalStore } from "react";
import { PoliteProgress } from "@/components/PoliteProgress";
import { count, formatPercent } from "@/format/count";
import { type Totals, totalsOf } from "@/uploads/rows";
import type { Uploader } from "@/uploads/uploader";
import { UploadItem } from "./UploadItem";
import classes from "./UploadList.module.css";
import { UploadToolbar } from "./UploadToolbar";

interface UploadListProps {
  uploader: Uploader;
  onFiles: (files: File[]) => void;
}

export function UploadList({ uploader, onFiles }: UploadListProps) {
  const rows = useSyncExternalStore(uploader.subscribe, uploader.getRows);
  const heading = useRef<HTMLHeadingElement>(null);
  const totals = totalsOf(rows);
  if (rows.length === 0) {
    return (
      <Text c="dimmed" ta="center">
        No uploads yet. Add files above; you can leave this page while they upload, but keep the tab open.
      </Text>
    );
  }
  return (
    <Stack gap="sm">
      <Title order={2} size="h4" ref={heading} tabIndex={-1}>
        {count(rows.length, "file")}
      </Title>
      <UploadToolbar uploader={uploader} totals={totals} />
      <PoliteProgress text={spoken(totals)} urgent={totals.done === totals.files || totals.by.failed > 0} />
      <ul className={classes.list}>
        {rows.map((row) => (
          <li key={row.id} className={classes.item}>
            <UploadItem
              row={row}
              uploader={uploader}
              onFiles={onFiles}
              onRemoved={() => heading.current?.focus({ preventScroll: true })}
            />
          </li>
        ))}
      </ul>
    </Stack>
  );
}

function spoken({ files, done, size, sent, by }: Totals): string {
  const failed = by.failed > 0 ? ` ${by.failed} failed.` : "";
  if (done === files) return `${count(files, "file")} uploaded.`;
  return `${done} of ${files} uploaded, ${formatPercent(size === 0 ? 0 : (sent / size) * 100)}.${failed}`;
}
