import { Button, Stack } from "@mantine/core";
import { CloudUpload, SearchX } from "lucide-react";
import { CopyLine } from "@/components/CopyLine";
import { EmptyState } from "@/components/EmptyState";
import { ButtonLink, TextLink } from "@/components/links";
import { videosTexts } from "@/texts/videos";

const { empty, noMatch } = videosTexts;

/** There is no video at all: how to get the first one in. */
export function NoVideos() {
  const origin = location.origin;
  return (
    <EmptyState
      title={empty.title}
      icon={CloudUpload}
      action={
        <ButtonLink to="/upload" mt="xs">
          {empty.upload}
        </ButtonLink>
      }
    >
      <Stack gap="xs" ta="start" mt="xs">
        <div>{empty.hint}</div>
        <CopyLine label={empty.command} text={`framefarm upload video.mp4 --api ${origin}`} />
        <CopyLine
          label={empty.curlCommand}
          text={`curl -H "Authorization: Bearer $FRAMEFARM_TOKEN" -F file=@video.mp4 ${origin}/api/videos`}
        />
        <div>
          {empty.token} <TextLink to="/settings">{empty.createToken}</TextLink>
        </div>
      </Stack>
    </EmptyState>
  );
}

export function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      title={noMatch.title}
      icon={SearchX}
      action={
        <Button variant="default" mt="xs" onClick={onClear}>
          {noMatch.showAll}
        </Button>
      }
    >
      {noMatch.hint}
    </EmptyState>
  );
}
