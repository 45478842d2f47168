/**
 * The page begins again at its title: after a navigation, as if a new document was loaded, and when the button that was
 * pressed goes away. Never takes the focus from a field.
 */
export function focusHeading(): void {
  if (document.activeElement instanceof HTMLInputElement) return;
  document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
}

/**
 * For the end of a dialog that could not give the focus back, because its button went away: the focus is still inside,
 * and the next key would start at the top of the page.
 */
export function focusHeadingFromDialog(): void {
  const focused = document.activeElement;
  const [last, another] = document.querySelectorAll("[role=dialog]");
  if (another || !(focused instanceof HTMLElement) || !last?.contains(focused)) return;
  focused.blur();
  focusHeading();
}
