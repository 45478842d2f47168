import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const server = "http://127.0.0.1:8080";

export default defineConfig({
  base: "/",
  plugins: [react()],
  resolve: { alias: { "@": new URL("./src", import.meta.url).pathname } },
  server: { proxy: { "/api": server, "/videos": server, "/version": server, "/healthz": server } },
  worker: { format: "es" },
  build: {
    target: "es2022",
    // Everything is a file under /assets/: the policy of the page allows no data: scripts, and files are cached for good.
    assetsInlineLimit: 0,
    manifest: true,
    reportCompressedSize: false,
    // The player is large and loads when it is needed; `npm run size` watches the first load.
    chunkSizeWarningLimit: 1000,
  },
  // One document for all files: making one anew for each took three quarters of the time.
  test: { environment: "happy-dom", isolate: false, include: ["src/**/*.test.{ts,tsx}"] },
});
