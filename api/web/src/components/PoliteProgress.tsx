import { useEffect, useRef, useState } from "react";

const APART_MS = 15_000;

interface PoliteProgressProps {
  text: string;
  /** Another one than before: something happened that people want to know now (done, failed). */
  news?: string;
}

/**
 * Says a text aloud now and then. A progress bar is not a live region, and one that changes twice a second must not be:
 * the newest text is told at most every 15 s, and at once when there is news.
 */
export function PoliteProgress({ text, news = "" }: PoliteProgressProps) {
  const [told, setTold] = useState("");
  const last = useRef({ at: 0, news });
  useEffect(() => {
    const wait = news === last.current.news ? Math.max(0, last.current.at + APART_MS - Date.now()) : 0;
    const timer = setTimeout(() => {
      last.current = { at: Date.now(), news };
      setTold(text);
    }, wait);
    return () => clearTimeout(timer);
  }, [text, news]);
  return (
    <div className="visually-hidden" role="status" aria-live="polite">
      {told}
    </div>
  );
}
