import { Button, Group, Stack, Text } from "@mantine/core";
import { Pause, Play, RotateCw, Upload } from "lucide-react";
import { Bar } from "@/components/Bar";
import { ConfirmButton } from "@/components/ConfirmButton";
import { formatBytes, formatSpeed } from "@/format/bytes";
import { formatSpan } from "@/format/duration";
import { useNow } from "@/format/now";
import { uploadTexts } from "@/texts/upload";
import type { Totals } from "@/uploads/rows";
import { secondsLeft } from "@/uploads/speed";
import type { Uploader } from "@/uploads/uploader";

interface UploadToolbarProps {
  uploader: Uploader;
  totals: Totals;
  onRemoved: () => void;
}

/** What concerns all files at once. */
export function UploadToolbar({ uploader, totals, onRemoved }: UploadToolbarProps) {
  const { by, done, files } = totals;
  const moving = by.uploading + by.in_line;
  return (
    <Stack gap="xs">
      {moving > 0 && <Overall uploader={uploader} totals={totals} />}
      <Group gap="xs">
        {by.ready > 0 && (
          <Button leftSection={<Upload size={16} aria-hidden />} onClick={() => uploader.startAll()}>
            {uploadTexts.uploadFiles(by.ready)}
          </Button>
        )}
        {moving > 0 && (
          <Button variant="default" leftSection={<Pause size={16} aria-hidden />} onClick={() => uploader.pauseAll()}>
            {uploadTexts.pauseAll}
          </Button>
        )}
        {by.paused > 0 && (
          <Button variant="default" leftSection={<Play size={16} aria-hidden />} onClick={() => uploader.resumeAll()}>
            {uploadTexts.resumeAll}
          </Button>
        )}
        {by.failed > 0 && (
          <Button
            variant="default"
            leftSection={<RotateCw size={16} aria-hidden />}
            onClick={() => uploader.retryAll()}
          >
            {uploadTexts.retryFailed}
          </Button>
        )}
        {files > done && (
          <ConfirmButton
            question={{
              title: uploadTexts.cancelAllTitle,
              text: uploadTexts.cancelAllHint(files - done),
              confirm: uploadTexts.cancelAll,
            }}
            onConfirm={() => {
              uploader.removeAll();
              onRemoved();
            }}
          >
            {uploadTexts.cancelAll}
          </ConfirmButton>
        )}
        {by.unsupported > 1 && (
          <Button
            variant="default"
            onClick={() => {
              uploader.clearUnsupported();
              onRemoved();
            }}
          >
            {uploadTexts.removeUnsupported(by.unsupported)}
          </Button>
        )}
        {done > 0 && (
          <Button
            variant="default"
            onClick={() => {
              uploader.clearFinished();
              onRemoved();
            }}
          >
            {uploadTexts.clearFinished}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function Overall({ uploader, totals: { size, sent } }: Pick<UploadToolbarProps, "uploader" | "totals">) {
  useNow();
  const speed = uploader.speed();
  const left = secondsLeft(size - sent, speed);
  return (
    <Stack gap={4}>
      <Bar percent={size === 0 ? 0 : (sent / size) * 100} label={uploadTexts.allUploads} height={8} />
      <Text size="sm" c="dimmed" className="numbers">
        {uploadTexts.sentOf(formatBytes(sent), formatBytes(size))}
        {speed !== null && `, ${formatSpeed(speed)}`}
        {left !== null && `, ${uploadTexts.timeLeft(formatSpan(left))}`}
      </Text>
    </Stack>
  );
}
