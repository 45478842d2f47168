import { Bell, CloudUpload, Cpu, Film, Folders, LayoutDashboard, ListVideo, Settings } from "lucide-react";
import { shellTexts } from "@/texts/shell";

const labels = shellTexts.pages;

/** What the navigation, the palette and the keys lead to. */
export const pages = [
  { to: "/", label: labels.overview, key: "o", icon: LayoutDashboard },
  { to: "/upload", label: labels.upload, key: "u", icon: CloudUpload },
  { to: "/library", label: labels.videos, key: "v", icon: Film },
  { to: "/collections", label: labels.collections, key: "c", icon: Folders },
  { to: "/queue", label: labels.queue, key: "q", icon: ListVideo },
  { to: "/workers", label: labels.workers, key: "w", icon: Cpu },
  { to: "/alerts", label: labels.alerts, key: "a", icon: Bell },
  { to: "/settings", label: labels.settings, key: "s", icon: Settings },
] as const;

export type PagePath = (typeof pages)[number]["to"];
