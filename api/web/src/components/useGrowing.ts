import { useEffect, useState } from "react";

/** How many items of a long list to render: `step` at once, the rest in further steps between which the page can answer. */
export function useGrowing(length: number, step: number): number {
  const [shown, setShown] = useState(step);
  useEffect(() => {
    if (shown >= length) return;
    const timer = setTimeout(() => setShown(shown + step));
    return () => clearTimeout(timer);
  }, [shown, length, step]);
  return Math.min(shown, length);
}
