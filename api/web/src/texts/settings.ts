/**
 * The texts of the Settings screen, from top to bottom.
 *
 * A text that depends on a value is written `(name) => ...`, with the value as `${name}` inside it.
 * `count(3, "video")` is "3 videos", and "1 video" for one.
 */
import { count } from "@/format/count";

export const settingsTexts = {
  title: "Settings",

  tokens: {
    title: "API tokens",
    description: "For programs and scripts that use the API. A token is shown once, when you create it.",
    newToken: "New token",
    loadError: "Could not load the tokens",
    none: "No tokens yet. Create one for each program, so that you can revoke each separately.",
    // One token: "Upload only to news · created 2 days ago · never used · expires Jan 8, 2030".
    toCollection: (collection: string) => ` to ${collection}`,
    created: "created",
    lastUsed: "last used",
    neverUsed: "never used",
    expires: (time: string) => `expires ${time}`,
    revoke: "Revoke",
    revokeLabel: (name: string) => `Revoke ${name}`,
    revokeTitle: (name: string) => `Revoke ${name}`,
    revokeText: "Programs that use this token lose access at once. This cannot be undone.",
    revokeConfirm: "Revoke token",
    revoked: (name: string) => `Revoked the token ${name}.`,
    revokeFailed: "Could not revoke the token",
  },

  // The dialog that New token opens, and what it shows afterwards.
  newToken: {
    title: "New token",
    name: "Name",
    nameHelp: "What the token is for. Shown in the audit log.",
    nameMissing: "Enter a name that says what the token is for",
    role: "Role",
    collection: "Collection",
    collectionHelp: "Its uploads go to this collection only. Blank = any collection.",
    expires: "Expires",
    never: "Never",
    inDays: (days: number) => `In ${count(days, "day")}`,
    inOneYear: "In 1 year",
    failed: "Could not create the token",
    cancel: "Cancel",
    create: "Create token",
    created: (name: string) => `Created the token ${name}. Copy it now: it is not shown again.`,
    copy: "token",
    /** Followed by the header itself. */
    header: "Programs send it in the header",
  },
  roles: {
    read: { label: "Read", description: "View everything except tokens and the audit log." },
    upload: { label: "Upload", description: "Read, and upload videos." },
    upload_only: { label: "Upload only", description: "Upload videos, and view nothing." },
    manage: { label: "Manage", description: "Upload, and change videos, jobs, queues and collections." },
    admin: { label: "Admin", description: "Everything you can do on this page." },
  },

  about: {
    title: "About this server",
    loadError: "Could not load the server status",
    degraded: "Needs attention",
    version: "Version",
    database: "Database",
    dispatch: "Dispatch",
    storage: "Storage",
    storageUsed: "Storage used",
    free: (free: string, total: string) => `${free} free of ${total}`,
    api: "API",
    documentation: "Documentation",
    /** Read aloud behind the link. */
    newTab: " (opens in a new tab)",
    loading: "…",
  },

  cleanup: {
    title: "Cleanup",
    description: "Unused data is removed automatically every few minutes, according to the server settings.",
    preview: "Preview",
    run: "Remove now…",
    confirmTitle: "Remove unused data",
    /** Behind the size: "3 GB will be freed. This cannot be undone." */
    cannotUndo: "This cannot be undone.",
    confirm: "Remove",
    failed: "Cleanup failed",
    nothing: "Nothing to remove.",
    nothingRemoved: "Nothing was removed.",
    willFree: (size: string) => `${size} will be freed.`,
    freed: (size: string) => `${size} freed.`,
    willRemoveNoFiles: "Old records will be removed, but no files.",
    removedNoFiles: "Old records were removed, but no files.",
    someFailed: "Some data could not be removed",
    seeLog: (kinds: string) => `${kinds}: see the server log for the reason.`,
    backup: "A backup is running",
    backupText: "Files are kept until it is done.",
    // The kinds of data: "Abandoned uploads: 2 uploads, 3 GB".
    kinds: {
      uploads: { label: "Abandoned uploads", one: "upload", many: "uploads" },
      leftovers: { label: "Output of failed jobs", one: "job", many: "jobs" },
      sources: { label: "Originals", one: "original file", many: "original files" },
      completed_jobs: { label: "Finished jobs", one: "job in the history", many: "jobs in the history" },
      failed_jobs: { label: "Failed jobs", one: "job in the history", many: "jobs in the history" },
      events: { label: "Events", one: "audit log entry", many: "audit log entries" },
      intakes: { label: "Imported files", one: "import record", many: "import records" },
      alert_deliveries: { label: "Alert deliveries", one: "log entry", many: "log entries" },
      sessions: { label: "Sessions", one: "ended session", many: "ended sessions" },
      invitations: {
        label: "Join commands",
        one: "used or expired join command",
        many: "used or expired join commands",
      },
      deleted_videos: { label: "Deleted videos", one: "video", many: "videos" },
      garbage: { label: "Replaced files", one: "file", many: "files" },
      orphans: { label: "Orphaned files", one: "file", many: "files" },
    },
  },

  appearance: {
    title: "Appearance",
    description: "Saved in this browser.",
    colours: "Colour scheme",
  },
  account: {
    title: "Account",
    loggedIn: (who: string, role: string) => `Logged in as ${who}. Role: ${role}.`,
    logOut: "Log out",
  },

  audit: {
    title: "Audit log",
    description: "Every change and who made it, newest first.",
    loadError: "Could not load the audit log",
    search: "Search the audit log",
    searchHint: "Title, name or reason",
    actor: "Actor",
    anyActor: "Anyone",
    allPeople: "All people",
    noSuchActor: "No matching actor",
    event: "Event",
    anyEvent: "Any event",
    noSuchEvent: "No matching event",
    entriesShown: "Entries shown",
    important: "Important",
    everything: "Everything",
    clearFilters: "Clear filters",
    // The line above the log: "Newest 50 matching entries".
    entries: (entries: number) => count(entries, "entry", "entries"),
    matching: (entries: number) => count(entries, "matching entry", "matching entries"),
    newest: (entries: string) => `Newest ${entries}`,
    none: "No entries yet",
    noMatch: "No matching entries",
    loadOlder: "Load older",

    // Who did it.
    admin: "Admin",
    farm: "Framefarm",
    worker: "Worker",
    anonymous: "Not logged in",
    workerNamed: (name: string) => `Worker ${name}`,
    tokenNamed: (name: string) => `Token ${name}`,
    // What happened, where its name alone does not say it.
    stoppedDraining: "Worker accepts jobs again",
    newPriority: (priority: number) => `to ${priority}`,
    errorOf: (error: string, details: string) => `${error}: ${details}`,
    // The link from an entry to the video or screen that it is about.
    links: {
      video: "Video",
      workers: "Workers",
      queue: "Queue",
      collections: "Collections",
      upload: "Upload",
      alerts: "Alerts",
    },
    /** Read aloud behind the link. */
    linkOf: (event: string) => `: ${event}`,
  },
} as const;
