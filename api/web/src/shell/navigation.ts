/** Remembers that the path changed, until the heading of the new page takes the focus. */
let navigated = false;

export function markNavigation(): void {
  navigated = true;
}

export function takeNavigation(): boolean {
  const was = navigated;
  navigated = false;
  return was;
}
