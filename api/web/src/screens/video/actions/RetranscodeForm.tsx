import { Checkbox, NativeSelect, Radio, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { videoQuery } from "@/api/queries";
import { ErrorState } from "@/components/ErrorState";
import { RowsSkeleton } from "@/components/Skeletons";
import { qualityLabel } from "@/format/quality";
import { videoTexts } from "@/texts/video";
import type { RetranscodeChoice } from "./calls";
import { FormButtons } from "./FormButtons";
import { useSaving } from "./useSaving";

const texts = videoTexts.transcodeAgainDialog;

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
        <Text size="sm">{texts.hint}</Text>
        <Radio.Group label={texts.qualities} value={which} onChange={setWhich}>
          <Stack gap="xs" mt={6}>
            <Radio value="all" label={texts.all} />
            <Radio value="some" label={texts.selected} />
          </Stack>
        </Radio.Group>
        {which === "some" && video.isPending && <RowsSkeleton rows={2} height={24} />}
        {which === "some" && video.isError && <ErrorState error={video.error} retry={() => video.refetch()} />}
        {which === "some" && names.length > 0 && (
          <Checkbox.Group label={texts.selectedQualities} value={chosen} onChange={setChosen}>
            <Stack gap="xs" mt={6}>
              {names.map((name) => (
                <Checkbox key={name} value={name} label={qualityLabel(name)} />
              ))}
            </Stack>
          </Checkbox.Group>
        )}
        <NativeSelect
          label={texts.priority}
          value={priority}
          onChange={(event) => setPriority(event.currentTarget.value as Priority)}
          data={[
            { value: "high", label: texts.high },
            { value: "normal", label: texts.normal },
            { value: "low", label: texts.low },
          ]}
        />
      </Stack>
      <FormButtons
        submit={videoTexts.transcodeAgain}
        saving={saving}
        disabled={qualities?.length === 0}
        close={close}
      />
    </form>
  );
}
