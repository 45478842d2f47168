/**
 * Texts of the list of videos.
 * Edit what stands in quotes or backticks. The page fills in each ${…}; `count(files, "file")` becomes "1 file" or
 * "2 files".
 */
import { count, formatNumber } from "@/format/count";

export const videosTexts = {
  title: "Videos",
  upload: "Upload",
  loadingFailed: "Could not load videos",
  shown: (videos: number) => `${count(videos, "video")} shown`,
  showMore: "Show more",
  loadingMoreFailed: "Could not load more videos",

  // The filters above the list
  filters: {
    search: "Search by title",
    status: "Status",
    anyStatus: "Any status",
    statusWithCount: (status: string, videos: number) => `${status} (${formatNumber(videos)})`,
    collection: "Collection",
    anyCollection: "Any collection",
    clearCollection: "Clear collection filter",
    view: "View",
    table: "Table",
    grid: "Grid",
  },

  // The table
  table: {
    label: "Videos",
    selectAll: "Select all loaded videos",
    video: "Video",
    status: "Status",
    duration: "Duration",
    size: "Size",
    added: "Added",
  },

  // One video
  select: (title: string) => `Select ${title}`,
  actionsFor: (title: string) => `Actions for ${title}`,
  open: "Open",
  progress: "Progress",
  stepOnWorker: (step: string, worker: string) => `${step} on ${worker}`,
  timeLeft: (time: string) => `${time} left`,
  waitingAgain: "Waiting to transcode again.",
  readyIn: (time: string) => `Ready in ${time}.`,

  // For screen readers: what goes on in the list
  transcoding: (videos: number) => `${formatNumber(videos)} transcoding`,
  waiting: (videos: number) => `${formatNumber(videos)} waiting`,

  // The bar that appears when videos are selected; its buttons say how many videos they apply to
  selection: {
    label: "Selected videos",
    selected: (videos: number) => `${formatNumber(videos)} selected`,
    clear: "Clear selection",
    retry: "Retry",
    cancel: "Cancel",
    delete: "Delete",
  },

  // Without any video
  empty: {
    title: "No videos yet",
    upload: "Upload a video",
    hint: "Upload one here or from the command line:",
    command: "upload command",
    curlCommand: "curl command",
    token: "Both commands need an API token.",
    createToken: "Create one in Settings",
  },
  noMatch: {
    title: "No matching videos",
    hint: "Try a shorter search, another status or another collection.",
    showAll: "Show all videos",
  },
} as const;
