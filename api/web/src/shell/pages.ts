import { Bell, CloudUpload, Cpu, Film, Folders, LayoutDashboard, ListVideo, Settings } from "lucide-react";

/** What the navigation, the palette and the keys lead to. */
export const pages = [
  { to: "/", label: "Overview", key: "o", icon: LayoutDashboard },
  { to: "/upload", label: "Upload", key: "u", icon: CloudUpload },
  { to: "/library", label: "Videos", key: "v", icon: Film },
  { to: "/collections", label: "Collections", key: "c", icon: Folders },
  { to: "/queue", label: "Queue", key: "q", icon: ListVideo },
  { to: "/workers", label: "Workers", key: "w", icon: Cpu },
  { to: "/alerts", label: "Alerts", key: "a", icon: Bell },
  { to: "/settings", label: "Settings", key: "s", icon: Settings },
] as const;

export type PagePath = (typeof pages)[number]["to"];
