/** Where a 401 leads; the router says how to get there. */
let toLogin: (() => void | Promise<void>) | null = null;

export function onUnauthorized(handler: () => void | Promise<void>): void {
  toLogin = handler;
}

export function sessionEnded(): void {
  void toLogin?.();
}
