import { Stack, Text } from "@mantine/core";
import type { Video } from "@/api/types";
import { CopyLine } from "@/components/CopyLine";
import { absoluteUrl } from "./actions/calls";
import { embedCode } from "./embed";
import { Section } from "./Section";

/** How to play it elsewhere. */
export function Share({ video }: { video: Video }) {
  if (!video.playback_url) return null;
  const url = absoluteUrl(video.playback_url);
  const poster = video.poster_url ? absoluteUrl(video.poster_url) : null;
  return (
    <Section title="Play it elsewhere">
      <Stack gap="sm">
        <div>
          <Text size="sm" mb={4}>
            Playback URL (HLS)
          </Text>
          <CopyLine text={url} label="the playback URL" />
        </div>
        <div>
          <Text size="sm" mb={4}>
            For a web page
          </Text>
          <CopyLine text={embedCode({ url, poster, title: video.title })} label="the HTML" />
          <Text size="xs" c="dimmed" mt={4}>
            Browsers that do not play HLS by themselves need a player such as hls.js.
          </Text>
        </div>
      </Stack>
    </Section>
  );
}
