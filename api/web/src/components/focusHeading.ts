/** For when the button that was pressed goes away: the page begins again at its title. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
}
