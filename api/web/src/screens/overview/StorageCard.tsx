import { Stack, Text } from "@mantine/core";
import type { ServiceHealth } from "@/api/types";
import { Bar } from "@/components/Bar";
import { formatBytes } from "@/format/bytes";
import { storageState } from "@/format/storage";
import { overviewTexts as texts } from "@/texts/overview";
import { Fact, Facts } from "./Facts";
import { Section } from "./Section";

export function StorageCard({ storage }: { storage: ServiceHealth["storage"] }) {
  const { free_bytes: free, reserve_bytes: reserve, total_bytes: total } = storage;
  const { usedPercent, tone } = storageState(storage);
  if (free === null || total === null || usedPercent === null || total <= 0) {
    return (
      <Section title={texts.storage.title}>
        <Text size="sm" c="dimmed">
          {storage.kind === "disk" ? texts.storage.unknownSize : texts.storage.noLimit}
        </Text>
      </Section>
    );
  }
  const used = total - free;
  const forUploads = Math.max(0, free - reserve);
  return (
    <Section title={texts.storage.title}>
      <Stack gap="sm">
        <Bar
          percent={usedPercent}
          height={10}
          tone={tone}
          label={texts.storage.usedBar}
          text={texts.storage.usedOf(formatBytes(used), formatBytes(total))}
        />
        <Facts>
          <Fact name={texts.storage.used}>{texts.storage.of(formatBytes(used), formatBytes(total))}</Fact>
          <Fact name={texts.storage.free}>{formatBytes(forUploads)}</Fact>
          {reserve > 0 && <Fact name={texts.storage.reserved}>{formatBytes(reserve)}</Fact>}
        </Facts>
      </Stack>
    </Section>
  );
}
