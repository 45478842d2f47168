export const isMac = /Mac|iP(hone|ad)/.test(navigator.userAgent);
