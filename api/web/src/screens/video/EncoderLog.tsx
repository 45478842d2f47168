import { skipToken, useQuery } from "@tanstack/react-query";
import { keys } from "@/api/keys";
import { TechnicalLines } from "./TechnicalLines";

/** The last lines that the encoder wrote, live. Most films give it nothing to say. */
export function EncoderLog({ jobId }: { jobId: string }) {
  const { data } = useQuery<string>({ queryKey: keys.log(jobId), queryFn: skipToken });
  return data ? <TechnicalLines text={data} title="What the encoder says" /> : null;
}
