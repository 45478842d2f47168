/** After a navigation the focus goes to the heading, as if a new document was loaded; never away from a field. */
export function focusHeading(): void {
  if (document.activeElement instanceof HTMLInputElement) return;
  document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
}
