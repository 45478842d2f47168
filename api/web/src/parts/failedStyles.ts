/**
 * Style sheets that could not be loaded. Who imports a part of the page again gets its script again, but not its style
 * sheets: the loader takes each of them as done after its first try.
 */
const failed = new Set<HTMLLinkElement>();

export function watchStyles(): void {
  // Such events do not bubble.
  addEventListener("error", ({ target }) => remember(target), { capture: true });
}

function remember(target: EventTarget | null): void {
  if (target instanceof HTMLLinkElement && target.rel === "stylesheet") failed.add(target);
}

/** Rejects if one fails again. */
export async function loadFailedStyles(): Promise<void> {
  await Promise.all([...failed].map(loadAgain));
}

async function loadAgain(link: HTMLLinkElement): Promise<void> {
  const next = link.cloneNode() as HTMLLinkElement;
  const loaded = new Promise((resolve, reject) => {
    next.addEventListener("load", resolve);
    next.addEventListener("error", reject);
  });
  failed.delete(link);
  link.replaceWith(next);
  await loaded;
}
