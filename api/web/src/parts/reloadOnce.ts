/** A reload that gets the parts of an updated server, at most once for each version of the page. */
const RELOADED = "framefarm-reloaded";

/** What the page began with; its name changes with each version. */
const version = import.meta.url;

/** `false` if this version was reloaded before, or nobody can tell: another reload could go on for ever. */
export function reloadOnce(): boolean {
  try {
    if (sessionStorage.getItem(RELOADED) === version) return false;
    sessionStorage.setItem(RELOADED, version);
  } catch {
    return false;
  }
  location.reload();
  return true;
}
