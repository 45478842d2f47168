import { Checkbox, NativeSelect, Radio, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { videoQuery } from "@/api/queries";
import { ErrorState } from "@/components/ErrorState";
import { RowsSkeleton } from "@/components/Skeletons";
import { qualityLabel } from "@/format/quality";
import type { RetranscodeChoice } from "./calls";
import { FormButtons } from "./FormButtons";
import { useSaving } from "./useSaving";

interface RetranscodeFormProps {
  videoId: string;
  save: (choice: RetranscodeChoice) => Promise<boolean>;
  close: () => void;
}

type Priority = RetranscodeChoice["priority"];

export function RetranscodeForm({ videoId, save, close }: RetranscodeFormProps) {
  const video = useQuery(videoQuery(videoId));
  const [which, setWhich] = useState("all");
  const [chosen, setChosen] = useState<string[]>([]);
  const [priority, setPriority] = useState<Priority>("normal");
  const qualities = which === "all" ? null : chosen;
  const { saving, onSubmit } = useSaving(() => save({ qualities, priority }), close);
  const names = video.data?.qualities.filter(({ status }) => status === "completed").map(({ name }) => name) ?? [];
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="md">
        <Text size="sm">The video goes on playing. The new version takes its place when it is whole.</Text>
        <Radio.Group label="What" value={which} onChange={setWhich}>
          <Stack gap="xs" mt={6}>
            <Radio value="all" label="All qualities" />
            <Radio value="some" label="Only some" />
          </Stack>
        </Radio.Group>
        {which === "some" && video.isPending && <RowsSkeleton rows={2} height={24} />}
        {which === "some" && video.isError && <ErrorState error={video.error} retry={() => video.refetch()} />}
        {which === "some" && names.length > 0 && (
          <Checkbox.Group label="Qualities" value={chosen} onChange={setChosen}>
            <Stack gap="xs" mt={6}>
              {names.map((name) => (
                <Checkbox key={name} value={name} label={qualityLabel(name)} />
              ))}
            </Stack>
          </Checkbox.Group>
        )}
        <NativeSelect
          label="Priority"
          value={priority}
          onChange={(event) => setPriority(event.currentTarget.value as Priority)}
          data={[
            { value: "high", label: "High: before the others" },
            { value: "normal", label: "Normal" },
            { value: "low", label: "Low: after the others" },
          ]}
        />
      </Stack>
      <FormButtons submit="Transcode again" saving={saving} disabled={qualities?.length === 0} close={close} />
    </form>
  );
}
