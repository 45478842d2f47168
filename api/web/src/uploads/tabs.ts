/**
 * Which tab keeps the list of uploads. Only one may: two that go on with the same upload would take it from each other.
 * (Locks of the browser need https; a channel does not.)
 */
const CHANNEL = "framefarm-uploads";
const ANSWER_MS = 300;

type Message = { type: "who" } | { type: "me" };

/** `true` if no other tab answers; from then on this one does. */
export async function becomeKeeper(): Promise<boolean> {
  if (typeof BroadcastChannel === "undefined") return true;
  const channel = new BroadcastChannel(CHANNEL);
  const taken = await new Promise<boolean>((resolve) => {
    channel.onmessage = ({ data }: MessageEvent<Message>) => {
      if (data.type === "me") resolve(true);
    };
    channel.postMessage({ type: "who" } satisfies Message);
    setTimeout(() => resolve(false), ANSWER_MS);
  });
  if (taken) {
    channel.close();
    return false;
  }
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.type === "who") channel.postMessage({ type: "me" } satisfies Message);
  };
  return true;
}
