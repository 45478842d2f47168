import { useEffect, useRef, useState } from "react";

const APART_MS = 15_000;

/**
 * Says a text aloud now and then. A progress bar is not a live region, and one that changes twice a second must not be:
 * the newest text is told at most every 15 s, and at once when `urgent` (done, failed).
 */
export function PoliteProgress({ text, urgent = false }: { text: string; urgent?: boolean }) {
  const [told, setTold] = useState("");
  const last = useRef(0);
  useEffect(() => {
    const wait = urgent ? 0 : Math.max(0, last.current + APART_MS - Date.now());
    const timer = setTimeout(() => {
      last.current = Date.now();
      setTold(text);
    }, wait);
    return () => clearTimeout(timer);
  }, [text, urgent]);
  return (
    <div className="visually-hidden" role="status" aria-live="polite">
      {told}
    </div>
  );
}
