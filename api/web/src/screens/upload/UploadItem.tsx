import { Stack, Text, TextInput } from "@mantine/core";
import { CirclePause, FileQuestion, type LucideIcon } from "lucide-react";
import { Bar } from "@/components/Bar";
import { ToneBadge } from "@/components/StatusBadge";
import { formatBytes, formatSpeed } from "@/format/bytes";
import { formatPercent } from "@/format/count";
import { formatSpan } from "@/format/duration";
import { useNow } from "@/format/now";
import type { Words } from "@/format/words";
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
  onFiles: (files: File[]) => void;
  onRemoved: () => void;
}

const badges: Record<UploadState, Words & { icon?: LucideIcon }> = {
  ready: { label: "Not started", tone: "neutral" },
  in_line: { label: "In line", tone: "neutral" },
  uploading: { label: "Uploading", tone: "active" },
  paused: { label: "Paused", tone: "warning", icon: CirclePause },
  failed: { label: "Failed", tone: "bad" },
  file_missing: { label: "File needed", tone: "warning", icon: FileQuestion },
  done: { label: "Uploaded", tone: "good" },
};

export function UploadItem(props: UploadItemProps) {
  const { row, uploader } = props;
  return (
    <Stack gap={8}>
      <div className={classes.head}>
        <div className={classes.names}>
          {row.state === "ready" ? (
            <TextInput
              label={`Title of ${row.name}`}
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
      {row.state === "file_missing" && (
        <Text size="sm">
          {formatPercent(row.percent)} was sent before this page was loaded anew. Choose the same file again and the
          rest follows.
        </Text>
      )}
      {row.sent > 0 && <Bar percent={row.percent} label={`Upload of ${row.name}`} height={8} />}
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
      {formatPercent(row.percent)}, {formatBytes(row.sent)} of {formatBytes(row.size)}
      {speed !== null && `, ${formatSpeed(speed)}`}
      {left !== null && `, ${formatSpan(left)} left`}
    </Text>
  );
}
