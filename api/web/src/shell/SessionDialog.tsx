import { Modal, Stack, Text } from "@mantine/core";
import { Suspense } from "react";
import { useSessionHasEnded } from "@/api/session";
import { lazyPart } from "@/parts/lazyPart";
import { shellTexts } from "@/texts/shell";
import { useUploadStatus } from "@/uploads/status";

const LoginForm = lazyPart(() => import("../screens/login/LoginForm").then(({ LoginForm }) => LoginForm));

const texts = shellTexts.session;
/** Above other dialogs, which stay as they are. */
const ON_TOP = 300;

/** The login in place: the screen below goes on afterwards. */
export function SessionDialog() {
  const hasEnded = useSessionHasEnded();
  const { running, interrupted } = useUploadStatus();
  const uploads = running + interrupted;
  return (
    <Modal
      opened={hasEnded}
      onClose={() => {}}
      closeOnEscape={false}
      closeOnClickOutside={false}
      withCloseButton={false}
      zIndex={ON_TOP}
      title={texts.title}
      size="sm"
    >
      <Stack>
        <Text size="sm" role="status">
          {texts.text} {uploads > 0 && texts.uploads(uploads)}
        </Text>
        <Suspense>
          <LoginForm />
        </Suspense>
      </Stack>
    </Modal>
  );
}
