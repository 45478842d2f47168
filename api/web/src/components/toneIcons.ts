import { CircleAlert, CircleCheck, Clock, LoaderCircle, TriangleAlert } from "lucide-react";
import type { Tone } from "@/format/words";

export const toneIcons: Record<Tone, typeof Clock> = {
  neutral: Clock,
  active: LoaderCircle,
  good: CircleCheck,
  warning: TriangleAlert,
  bad: CircleAlert,
};
