/**
 * Texts of the upload screen.
 * Edit what stands in quotes or backticks. The page fills in each ${…}; `count(files, "file")` becomes "1 file" or
 * "2 files".
 */
import { count } from "@/format/count";

export const uploadTexts = {
  title: "Upload",
  subtitle: "Videos are queued once fully uploaded.",

  // Options for the files that are added next
  options: {
    label: "Options for new files",
    collection: "Collection",
    noCollection: "None",
    priority: "Priority",
    low: "Low",
    normal: "Normal",
    high: "High",
    startAutomatically: "Start uploads automatically",
  },

  // Adding files
  dropHint: "Drop videos or folders here or on any other screen",
  // The overlay while files are dragged over any screen
  drop: {
    title: "Drop files to upload",
    startsNow: "They are added on the Upload screen and start at once.",
    startsLater: "They are added on the Upload screen. Start them there.",
    collection: (collection: string) => `Collection: ${collection}`,
    priority: (priority: string) => `Priority: ${priority}`,
    added: (files: number) => `${count(files, "file")} added on the Upload screen.`,
    unsupported: (files: number) =>
      `${count(files, "file has", "files have")} an unsupported type. See the Upload screen for the reason.`,
    failed: "Could not add the files",
  },
  selectFiles: "Select files",
  alreadyListed: (files: number) => `${count(files, "file is", "files are")} already in the list`,

  // The list
  empty: "No uploads yet. Add files above. You can visit other pages while files upload, but keep this tab open.",
  files: (files: number) => count(files, "file"),
  allUploads: "All uploads",
  uploadFiles: (files: number) => `Upload ${count(files, "file")}`,
  pauseAll: "Pause all",
  resumeAll: "Resume all",
  retryFailed: "Retry failed",
  clearFinished: "Clear finished",
  removeUnsupported: (files: number) => `Remove ${count(files, "unsupported file")}`,
  cancelAll: "Cancel all",
  cancelAllTitle: "Cancel all uploads",
  cancelAllHint: (files: number) =>
    `This removes ${count(files, "file")} from the list and discards the uploaded data.`,
  sentOf: (sent: string, size: string) => `${sent} of ${size}`,
  timeLeft: (time: string) => `${time} left`,

  // For screen readers: how the uploads go
  allUploaded: (files: number) => `${count(files, "file")} uploaded.`,
  someUploaded: (done: number, files: number, percent: string) => `${done} of ${files} uploaded, ${percent}.`,
  someFailed: (files: number) => `${files} failed.`,
  someUnsupported: (files: number) => `${count(files, "file has", "files have")} an unsupported type.`,

  // One file
  state: {
    ready: "Not started",
    in_line: "Waiting",
    uploading: "Uploading",
    paused: "Paused",
    failed: "Failed",
    file_missing: "Select file to resume",
    done: "Uploaded",
    unsupported: "Unsupported file type",
  },
  // What a file is that is refused before it is sent
  notMedia: {
    empty: "This file is empty. Copy or export it again.",
    text: "This is a text file. Select a video or audio file instead.",
    webPage: "This is a web page, not the video on it. Download the video itself and select that file.",
    pdf: "This is a PDF document. Select a video or audio file instead.",
    archive: "This is an archive. Unpack it and select the videos inside.",
    office: "This is an office document. Select a video or audio file instead.",
    program: "This is a program. Select a video or audio file instead.",
    image: "This is a still image. Select a video or audio file instead.",
  },
  titleOf: (file: string) => `Title of ${file}`,
  progressOf: (file: string) => `Upload of ${file}`,
  selectAgain: (percent: string) => `${percent} uploaded. Select the file again to resume.`,
  pause: "Pause",
  resume: "Resume",
  retry: "Retry",
  selectFile: "Select file",
  remove: "Remove",
  cancel: "Cancel",
  actionOn: (action: string, file: string) => `${action}: ${file}`,
  differentFile: "This is a different file",
  differentFileHint: (file: string) => `It does not match the earlier ${file}, so it was added as a new upload.`,
  connectionLost: "Connection lost. Uploaded data is kept; retry to resume.",

  // One file that is uploaded
  alreadyUploaded: "Already uploaded. It is not transcoded again.",
  alreadyUploadedAs: (title: string) => `Already uploaded as “${title}”. It is not transcoded again.`,
  openVideo: "Open video",

  // Imports: files that the server fetches
  import: {
    open: "Import from URLs or server folders",
    lines: "URLs or paths, one per line",
    linesHint: "The server fetches the files. Paths must be inside a folder that the server settings allow.",
    linesExample: "https://example.org/video.mp4\n/srv/videos/harbour.mov",
    noLines: "Enter URLs or paths, one per line",
    tooManyLines: "Add at most 1,000 lines at a time",
    add: "Add",
    failed: "Import failed",
    rejected: (lines: number) => `${count(lines, "line")} rejected`,
    queued: (files: number) => `${count(files, "file")} queued for import.`,
    duplicates: (files: number) => `${count(files, "file was", "files were")} already queued.`,
  },
  imports: {
    title: "Imports",
    loadingFailed: "Could not load imports",
    showMore: "Show more",
    state: {
      waiting: "Waiting",
      fetching: "Fetching",
      done: "Imported",
      failed: "Failed",
      cancelled: "Cancelled",
    },
    from: {
      url: "from a URL",
      path: "from a server folder",
      watch: "from the watch folder",
    },
    progressOf: (file: string) => `Fetching ${file}`,
    receivedOf: (received: string, size: string) => `${received} of ${size}`,
    receivedSoFar: (received: string) => `${received} so far`,
    cancelFailed: "Could not cancel the import",
    retryFailed: "Could not retry the import",
  },
} as const;
