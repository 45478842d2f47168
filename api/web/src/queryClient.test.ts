import { onlineManager } from "@tanstack/react-query";
import { afterEach, expect, it } from "vitest";
import { queryClient } from "./queryClient";

afterEach(() => onlineManager.setOnline(true));

it("an action is tried at once, also when the browser believes to be offline", async () => {
  onlineManager.setOnline(false);
  const action = queryClient.getMutationCache().build(queryClient, { mutationFn: async () => "done" });
  const late = new Promise((resolve) => setTimeout(resolve, 500, "not tried"));
  expect(await Promise.race([action.execute(undefined), late])).toBe("done");
});
