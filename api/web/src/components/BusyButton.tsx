import { Button, type ButtonProps, type ElementProps, Loader } from "@mantine/core";

interface BusyButtonProps extends ButtonProps, ElementProps<"button", keyof ButtonProps> {
  busy: boolean;
}

/** A button that keeps the focus while it works; a disabled one, as `loading` makes it, loses it for good. */
export function BusyButton({ busy, onClick, leftSection, ...rest }: BusyButtonProps) {
  return (
    <Button
      {...rest}
      aria-busy={busy}
      aria-disabled={busy}
      leftSection={busy ? <Loader size={14} color="currentColor" /> : leftSection}
      onClick={busy ? undefined : onClick}
    />
  );
}
