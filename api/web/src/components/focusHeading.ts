/**
 * The page begins again at its title: after a navigation, as if a new document was loaded, and when the button that was
 * pressed goes away. Never takes the focus from a field.
 */
export function focusHeading(): void {
  if (document.activeElement instanceof HTMLInputElement) return;
  document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
}
