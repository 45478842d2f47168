import { Button, Group } from "@mantine/core";
import { videoTexts } from "@/texts/video";

interface FormButtonsProps {
  submit: string;
  saving: boolean;
  disabled?: boolean;
  close: () => void;
}

export function FormButtons({ submit, saving, disabled, close }: FormButtonsProps) {
  return (
    <Group justify="flex-end" mt="lg">
      <Button variant="default" onClick={close}>
        {videoTexts.cancel}
      </Button>
      <Button type="submit" loading={saving} disabled={disabled}>
        {submit}
      </Button>
    </Group>
  );
}
