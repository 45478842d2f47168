import { Stack, Text } from "@mantine/core";
import type { Video } from "@/api/types";
import { CopyLine } from "@/components/CopyLine";
import { videoTexts } from "@/texts/video";
import { absoluteUrl } from "./actions/calls";
import { embedCode } from "./embed";
import { Section } from "./Section";

const texts = videoTexts.share;

/** How to play it elsewhere. */
export function Share({ video }: { video: Video }) {
  if (!video.playback_url) return null;
  const url = absoluteUrl(video.playback_url);
  const poster = video.poster_url ? absoluteUrl(video.poster_url) : null;
  return (
    <Section title={texts.title}>
      <Stack gap="sm">
        <div>
          <Text size="sm" mb={4}>
            {texts.playbackUrl}
          </Text>
          <CopyLine text={url} label={texts.copyPlaybackUrl} />
        </div>
        <div>
          <Text size="sm" mb={4}>
            {texts.embedCode}
          </Text>
          <CopyLine text={embedCode({ url, poster, title: video.title })} label={texts.copyEmbedCode} />
          <Text size="xs" c="dimmed" mt={4}>
            {texts.embedHint}
          </Text>
        </div>
      </Stack>
    </Section>
  );
}
