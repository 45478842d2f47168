import { type RefObject, startTransition, useEffect, useRef, useState } from "react";

/** How far outside of the window things are still on the page. */
const MARGIN = "900px 0px";

interface Near<E extends HTMLElement> {
  ref: RefObject<E | null>;
  near: boolean;
  /** The height it had when it was last on the page. */
  height: number | null;
}

/** Whether an element is in or near the window. What holds the focus counts as near. */
export function useNear<E extends HTMLElement>(initially: boolean): Near<E> {
  const ref = useRef<E>(null);
  const [state, setState] = useState<{ near: boolean; height: number | null }>({ near: initially, height: null });
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new IntersectionObserver(
      (entries) => {
        const entry = entries.at(-1);
        if (!entry) return;
        const near = entry.isIntersecting || element.contains(document.activeElement);
        const { height } = entry.boundingClientRect;
        // In a transition, so that many rows at once do not hold up a click or a key.
        startTransition(() =>
          setState((old) => (near === old.near ? old : { near, height: near ? old.height : height })),
        );
      },
      { rootMargin: MARGIN },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, ...state };
}
