import { Stack, Text } from "@mantine/core";
import type { ServiceHealth } from "@/api/types";
import { Bar } from "@/components/Bar";
import { formatBytes } from "@/format/bytes";
import { storageState } from "@/format/storage";
import { Fact, Facts } from "./Facts";
import { Section } from "./Section";

export function StorageCard({ storage }: { storage: ServiceHealth["storage"] }) {
  const { free_bytes: free, reserve_bytes: reserve, total_bytes: total } = storage;
  const { usedPercent, tone } = storageState(storage);
  if (free === null || total === null || usedPercent === null || total <= 0) {
    return (
      <Section title="Storage">
        <Text size="sm" c="dimmed">
          {storage.kind === "disk"
            ? "The size of the storage is not known."
            : "Videos are kept in an object store, without a limit of its own."}
        </Text>
      </Section>
    );
  }
  const used = total - free;
  const forUploads = Math.max(0, free - reserve);
  return (
    <Section title="Storage">
      <Stack gap="sm">
        <Bar
          percent={usedPercent}
          height={10}
          tone={tone}
          label="Storage in use"
          text={`${formatBytes(used)} of ${formatBytes(total)} in use`}
        />
        <Facts>
          <Fact name="In use">
            {formatBytes(used)} of {formatBytes(total)}
          </Fact>
          <Fact name="Free for uploads">{formatBytes(forUploads)}</Fact>
          {reserve > 0 && <Fact name="Kept free">{formatBytes(reserve)}</Fact>}
        </Facts>
      </Stack>
    </Section>
  );
}
