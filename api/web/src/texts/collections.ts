/**
 * The texts of the Collections screen, from top to bottom.
 *
 * A text that depends on a value is written `(name) => ...`, with the value as `${name}` inside it.
 * `count(3, "day")` is "3 days", and "1 day" for one.
 */
import { count, formatNumber } from "@/format/count";

export const collectionsTexts = {
  title: "Collections",
  subtitle: "Groups of videos, with their own rules where needed.",
  newCollection: "New collection",
  loadError: "Could not load the collections",

  empty: {
    title: "No collections yet",
    text:
      "Create one to give its videos their own qualities, priority or retention. " +
      "Collections are also created automatically on upload.",
  },

  // One collection in the list: what it has, then its rules, a sentence each.
  row: {
    videos: (videos: number) => count(videos, "video"),
    jobsRunning: (jobs: number) => `${count(jobs, "job")} running`,
    jobsWaiting: (jobs: number) => `${count(jobs, "job")} waiting`,
    jobsFailed: (jobs: number) => `${count(jobs, "job")} failed`,
    noRules: "Uses the farm's defaults.",
    priority: (priority: string) => `${priority}.`,
    sourcesKept: "Originals are kept.",
    sourcesDeleted: "Originals are deleted as soon as a video is ready.",
    sourcesDeletedAfter: (days: number) => `Originals are deleted ${count(days, "day")} after a video is ready.`,
    jobsDeletedAfter: (days: number) => `Finished jobs leave the history after ${count(days, "day")}.`,
  },

  // The menu of a collection.
  menu: {
    label: (name: string) => `Actions for ${name}`,
    edit: "Edit rules…",
    delete: "Delete…",
    deleteTitle: (name: string) => `Delete ${name}`,
    deleteText: "Its videos and their jobs are kept, without a collection. Its rules are deleted.",
    deleteConfirm: "Delete collection",
    deleted: (name: string) => `Deleted the collection “${name}”. Its videos are kept.`,
    deleteFailed: "Could not delete the collection",
  },

  // The dialog for a new collection, or for the rules of an existing one.
  form: {
    titleNew: "New collection",
    titleEdit: (name: string) => `Rules of ${name}`,
    name: "Name",
    nameMissing: "Enter a name",
    customQualities: "Custom qualities",
    customQualitiesHelp: "For new videos. When off, they get the farm's qualities.",
    priority: "Priority",
    priorityHelp: "Default for new jobs. Jobs with a higher number run first; 0 is normal.",
    priorityRange: (lowest: number, highest: number) => `From ${lowest} to ${highest}`,
    sources: "Original files",
    sourcesDefault: "Use the farm's default",
    sourcesKeep: "Keep",
    sourcesDelete: "Delete when the video is ready",
    sourcesDeleteLater: "Delete some days after the video is ready",
    sourceDays: "Days until the original is deleted",
    jobDays: "Days until finished jobs leave the history",
    jobDaysHelp: "Blank = use the farm's default.",
    farmDefault: "Farm's default",
    days: (least: number) => `Enter a number of days, ${least} or more`,
    notSaved: "Could not save the collection",
    cancel: "Cancel",
    save: "Save",
    create: "Create collection",
  },

  // The list of qualities in the dialog.
  ladder: {
    title: "Qualities",
    resolution: "Resolution",
    bitrate: "kbit/s",
    codec: "Codec",
    resolutionOf: (number: number) => `Resolution of quality ${number}`,
    bitrateOf: (number: number) => `Bitrate of quality ${number} in kbit/s`,
    codecOf: (number: number) => `Codec of quality ${number}`,
    remove: (number: number) => `Remove quality ${number}`,
    add: "Add quality",
    wrongResolution: (highest: number) => `An even number up to ${formatNumber(highest)}`,
    wrongBitrate: (lowest: number, highest: number) => `From ${formatNumber(lowest)} to ${formatNumber(highest)}`,
    /** Below the list: what is wrong with it, or what it produces. */
    noQualities: "Add at least one quality.",
    tooMany: (most: number) => `A ladder can have at most ${most} qualities.`,
    wrongNumber: "Correct the numbers marked above.",
    listedTwice: (quality: string) => `${quality} is listed twice.`,
    result: (qualities: number, names: string, size: string) =>
      `${count(qualities, "quality", "qualities")}: ${names}. An hour of video takes up to ${size}.`,
  },
} as const;
