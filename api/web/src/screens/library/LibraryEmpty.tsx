import { Button, Stack } from "@mantine/core";
import { CloudUpload, SearchX } from "lucide-react";
import { CopyLine } from "@/components/CopyLine";
import { EmptyState } from "@/components/EmptyState";
import { ButtonLink, TextLink } from "@/components/links";

/** There is no video at all: how to get the first one in. */
export function NoVideos() {
  const origin = location.origin;
  return (
    <EmptyState
      title="No videos yet"
      icon={CloudUpload}
      action={
        <ButtonLink to="/upload" mt="xs">
          Upload a video
        </ButtonLink>
      }
    >
      <Stack gap="xs" ta="start" mt="xs">
        <div>Upload one here, or send it from a terminal:</div>
        <CopyLine label="the command" text={`framefarm upload video.mp4 --api ${origin}`} />
        <CopyLine
          label="the curl command"
          text={`curl -H "Authorization: Bearer $FRAMEFARM_TOKEN" -F file=@video.mp4 ${origin}/api/videos`}
        />
        <div>
          Both need a token: make one in <TextLink to="/settings">Settings</TextLink>.
        </div>
      </Stack>
    </EmptyState>
  );
}

export function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      title="No video matches"
      icon={SearchX}
      action={
        <Button variant="default" mt="xs" onClick={onClear}>
          Show all videos
        </Button>
      }
    >
      Try fewer letters, another status or another collection.
    </EmptyState>
  );
}
