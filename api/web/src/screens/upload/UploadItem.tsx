import { Stack, Text, TextInput } from "@mantine/core";
import { CirclePause, FileQuestion, FileX, type LucideIcon } from "lucide-react";
import { Bar } from "@/components/Bar";
import { ToneBadge } from "@/components/StatusBadge";
import { formatBytes, formatSpeed } from "@/format/bytes";
import { formatPercent } from "@/format/count";
import { formatSpan } from "@/format/duration";
import { useNow } from "@/format/now";
import type { Words } from "@/format/words";
import { uploadTexts } from "@/texts/upload";
import type { UploadRow, UploadState } from "@/uploads/rows";
import { secondsLeft } from "@/uploads/speed";
import type { Uploader } from "@/uploads/uploader";
import { TITLE_LIMIT } from "../video/actions/RenameForm";
import { UploadActions } from "./UploadActions";
import { UploadedVideo } from "./UploadedVideo";
import classes from "./UploadList.module.css";

export interface UploadItemProps {
  row: UploadRow;
  uploader: Uploader;
  onFiles: (files: File[]) => Promise<unknown>;
  onRemoved: () => void;
}

const badges: Record<UploadState, Words & { icon?: LucideIcon }> = {
  ready: { label: uploadTexts.state.ready, tone: "neutral" },
  in_line: { label: uploadTexts.state.in_line, tone: "neutral" },
  uploading: { label: uploadTexts.state.uploading, tone: "active" },
  paused: { label: uploadTexts.state.paused, tone: "warning", icon: CirclePause },
  failed: { label: uploadTexts.state.failed, tone: "bad" },
  file_missing: { label: uploadTexts.state.file_missing, tone: "warning", icon: FileQuestion },
  done: { label: uploadTexts.state.done, tone: "good" },
  unsupported: { label: uploadTexts.state.unsupported, tone: "bad", icon: FileX },
};

export function UploadItem(props: UploadItemProps) {
  const { row, uploader } = props;
  return (
    <Stack gap={8}>
      <div className={classes.head}>
        <div className={classes.names}>
          {row.state === "ready" ? (
            <TextInput
              label={uploadTexts.titleOf(row.name)}
              maxLength={TITLE_LIMIT}
              value={row.title}
              onChange={({ currentTarget: { value } }) => uploader.setTitle(row.id, value)}
            />
          ) : (
            <Text fw={600} className="any-break">
              {row.title || row.name}
            </Text>
          )}
          <Text size="xs" c="dimmed" className="any-break" mt={2}>
            {row.name}, {formatBytes(row.size)}
          </Text>
        </div>
        <UploadActions {...props} />
      </div>
      <UploadBody {...props} />
    </Stack>
  );
}

function UploadBody({ row, uploader }: UploadItemProps) {
  if (row.state === "done") return <UploadedVideo row={row} />;
  return (
    <Stack gap={6} align="stretch">
      <div>
        <ToneBadge {...badges[row.state]} />
      </div>
      {row.error && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert" className="any-break">
          {row.error}
        </Text>
      )}
      {row.state === "file_missing" && <Text size="sm">{uploadTexts.selectAgain(formatPercent(row.percent))}</Text>}
      {row.sent > 0 && <Bar percent={row.percent} label={uploadTexts.progressOf(row.name)} height={8} />}
      {row.state === "uploading" && <Pace row={row} uploader={uploader} />}
    </Stack>
  );
}

function Pace({ row, uploader }: Pick<UploadItemProps, "row" | "uploader">) {
  useNow();
  const speed = uploader.speed(row.id);
  const left = secondsLeft(row.size - row.sent, speed);
  return (
    <Text size="sm" c="dimmed" className="numbers">
      {formatPercent(row.percent)}, {uploadTexts.sentOf(formatBytes(row.sent), formatBytes(row.size))}
      {speed !== null && `, ${formatSpeed(speed)}`}
      {left !== null && `, ${uploadTexts.timeLeft(formatSpan(left))}`}
    </Text>
  );
}
