import { skipToken, useQuery } from "@tanstack/react-query";
import { keys } from "@/api/keys";
import { videoTexts } from "@/texts/video";
import { TechnicalLines } from "./TechnicalLines";

/** The last lines of the encoder's log, live. For most videos it is empty. */
export function EncoderLog({ jobId }: { jobId: string }) {
  const { data } = useQuery<string>({ queryKey: keys.log(jobId), queryFn: skipToken });
  return data ? <TechnicalLines text={data} title={videoTexts.progress.encoderLog} /> : null;
}
