import { notifications } from "@mantine/notifications";
import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { messageOf } from "./problem";

interface Action<Input, Output> {
  run: (input: Input) => Promise<Output>;
  /** What was done, for the notification; none if absent. */
  done?: (output: Output, input: Input) => string;
  /** What did not work: the title above the server's reason. */
  failed: string;
  /** What to ask for again at once; the live stream would do it a moment later. */
  touches?: readonly QueryKey[];
}

/** A mutation that tells people how it went. */
export function useAction<Input, Output>({ run, done, failed, touches = [] }: Action<Input, Output>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSuccess: (output, input) => {
      if (done) notifications.show({ message: done(output, input), color: "green" });
      for (const queryKey of touches) void client.invalidateQueries({ queryKey });
    },
    onError: (error) => {
      notifications.show({ title: failed, message: messageOf(error), color: "red", autoClose: 10_000 });
    },
  });
}
