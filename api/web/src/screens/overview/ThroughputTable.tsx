import { ScrollArea, Table } from "@mantine/core";
import type { Throughput } from "@/api/types";
import { formatNumber } from "@/format/count";
import { formatSpan } from "@/format/duration";
import { overviewTexts as texts } from "@/texts/overview";
import { longLabel } from "./throughput";

/** The same as the chart, newest first. */
export function ThroughputTable({ buckets, bucket_seconds }: Throughput) {
  return (
    <ScrollArea.Autosize
      mah={320}
      viewportProps={{ tabIndex: 0, "aria-label": texts.throughput.table, role: "region" }}
    >
      <Table stickyHeader className="numbers" verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{texts.throughput.from}</Table.Th>
            <Table.Th scope="col" ta="right">
              {texts.throughput.done}
            </Table.Th>
            <Table.Th scope="col" ta="right">
              {texts.throughput.failed}
            </Table.Th>
            <Table.Th scope="col" ta="right">
              {texts.throughput.videoTime}
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {[...buckets].reverse().map(({ start, completed, failed, video_seconds }) => (
            <Table.Tr key={start}>
              <Table.Th scope="row" fw={400}>
                {longLabel(start, bucket_seconds)}
              </Table.Th>
              <Table.Td ta="right">{formatNumber(completed)}</Table.Td>
              <Table.Td ta="right">{formatNumber(failed)}</Table.Td>
              <Table.Td ta="right">{formatSpan(video_seconds)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea.Autosize>
  );
}
