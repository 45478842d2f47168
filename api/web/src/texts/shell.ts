/**
 * Texts around every screen, and of the login.
 * Edit what stands in quotes or backticks. The page fills in each ${…}; `count(files, "file")` becomes "1 file" or
 * "2 files".
 */
import { count, formatNumber } from "@/format/count";

export const shellTexts = {
  product: "Framefarm",
  skipToContent: "Skip to content",

  // The navigation
  navigation: "Pages",
  pages: {
    overview: "Overview",
    upload: "Upload",
    videos: "Videos",
    collections: "Collections",
    queue: "Queue",
    workers: "Workers",
    alerts: "Alerts",
    settings: "Settings",
  },

  // The numbers in the navigation, as tooltips and for screen readers
  counts: {
    uploading: (uploads: number) => `${formatNumber(uploads)} uploading`,
    uploadsStuck: (uploads: number) => `${count(uploads, "needs", "need")} attention`,
    alerts: (alerts: number) => `${formatNumber(alerts)} active`,
    failed: (number: number) => `${formatNumber(number)} failed`,
    waiting: (jobs: number) => `${formatNumber(jobs)} waiting`,
    workers: (workers: number) => count(workers, "worker online", "workers online"),
    noWorkers: "none online",
  },

  // The bar at the top
  header: {
    openMenu: "Open menu",
    closeMenu: "Close menu",
    search: "Search",
    shortcuts: "Keyboard shortcuts",
    logOut: "Log out",
    logOutFailed: "Could not log out",
  },
  colorScheme: {
    button: (scheme: string) => `Colour scheme: ${scheme}`,
    light: "Light",
    dark: "Dark",
    auto: "System",
    selected: "selected",
  },
  connection: {
    connecting: "Connecting…",
    reconnecting: "Reconnecting…",
    since: (time: string) => `No live updates since ${time}`,
  },

  // The search over everything
  palette: {
    placeholder: "Search pages and videos",
    pages: "Pages",
    videos: "Videos",
    searching: "Searching…",
    nothingFound: "No results",
  },

  // The list of keyboard shortcuts
  shortcuts: {
    title: "Keyboard shortcuts",
    palette: "Search pages and videos",
    search: "Search this list, or all videos",
    goTo: (page: string) => `Go to ${page}`,
    help: "Show keyboard shortcuts",
    singleKey: "Single-key shortcuts",
    singleKeyHint: "Turn off if keys get pressed by accident, for example by voice control.",
  },

  notFound: {
    title: "Page not found",
    message: "There is no page at this URL",
    hint: "The link may be outdated or mistyped.",
    link: "Go to overview",
  },
  // A screen or a piece of one that could not be loaded from the server
  missingPart: {
    loading: "Loading",
    away: "No connection to the server",
    screenOpens: "This screen opens automatically once the server responds.",
    partLoads: "This part loads automatically once the server responds.",
    gone: "The server was updated",
    reload: "Reload the page to load its new version.",
    stuck: "Could not load this screen",
    stuckText: "The server responds, but does not have the files of this screen. Reload the page to try again.",
    afterUploads: (uploads: number) =>
      `The page reloads once ${count(uploads, "upload is", "uploads are")} finished. If you reload now, select large files again to resume them.`,
  },
  crash: {
    title: "Could not display this page",
    reload: "Reload page",
  },

  // The dialog over the page when the session ended
  session: {
    title: "Your session has ended",
    text: "Log in to continue where you left off.",
    uploads: (uploads: number) => `${count(uploads, "upload resumes", "uploads resume")} after you log in.`,
  },
  login: {
    title: "Log in",
    password: "Admin password",
    togglePassword: "Show or hide password",
    submit: "Log in",
  },
} as const;
