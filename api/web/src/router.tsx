/** Every page and its address. Screens are loaded when they are first opened. */

import { modals } from "@mantine/modals";
import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, createRouter, Outlet, redirect } from "@tanstack/react-router";
import { isUnauthorized } from "@/api/problem";
import { meQuery } from "@/api/queries";
import { onLoggedOutElsewhere } from "@/api/session";
import { focusHeading } from "@/components/focusHeading";
import { lazyScreen } from "./parts/lazyPart";
import { queryClient } from "./queryClient";
import { alertsSearch, loginSearch, queueSearch, settingsSearch, videosSearch } from "./search";
import { CrashPage } from "./shell/CrashPage";
import { NotFoundPage } from "./shell/NotFoundPage";
import { ScreenLoading } from "./shell/ScreenLoading";
import { Shell } from "./shell/Shell";

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
});

const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  validateSearch: loginSearch,
  component: lazyScreen(() => import("./screens/login/LoginScreen"), "LoginScreen"),
});

/** Everything behind the login. */
const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    try {
      await context.queryClient.ensureQueryData(meQuery());
    } catch (error) {
      if (isUnauthorized(error)) throw redirect({ to: "/login", search: { next: location.href } });
      throw error;
    }
  },
});

const overview = createRoute({
  getParentRoute: () => shell,
  path: "/",
  component: lazyScreen(() => import("./screens/overview/OverviewScreen"), "OverviewScreen"),
});

const upload = createRoute({
  getParentRoute: () => shell,
  path: "/upload",
  component: lazyScreen(() => import("./screens/upload/UploadScreen"), "UploadScreen"),
});

const library = createRoute({
  getParentRoute: () => shell,
  path: "/library",
  validateSearch: videosSearch,
  component: lazyScreen(() => import("./screens/videos/VideosScreen"), "VideosScreen"),
});

const video = createRoute({
  getParentRoute: () => shell,
  path: "/library/$id",
  component: lazyScreen(() => import("./screens/video/VideoScreen"), "VideoScreen"),
});

const collections = createRoute({
  getParentRoute: () => shell,
  path: "/collections",
  component: lazyScreen(() => import("./screens/collections/CollectionsScreen"), "CollectionsScreen"),
});

const queue = createRoute({
  getParentRoute: () => shell,
  path: "/queue",
  validateSearch: queueSearch,
  component: lazyScreen(() => import("./screens/queue/QueueScreen"), "QueueScreen"),
});

const workers = createRoute({
  getParentRoute: () => shell,
  path: "/workers",
  component: lazyScreen(() => import("./screens/workers/WorkersScreen"), "WorkersScreen"),
});

const alerts = createRoute({
  getParentRoute: () => shell,
  path: "/alerts",
  validateSearch: alertsSearch,
  component: lazyScreen(() => import("./screens/alerts/AlertsScreen"), "AlertsScreen"),
});

const settings = createRoute({
  getParentRoute: () => shell,
  path: "/settings",
  validateSearch: settingsSearch,
  component: lazyScreen(() => import("./screens/settings/SettingsScreen"), "SettingsScreen"),
});

export const router = createRouter({
  routeTree: root.addChildren([
    login,
    shell.addChildren([overview, upload, library, video, collections, queue, workers, alerts, settings]),
  ]),
  context: { queryClient },
  defaultPreload: "intent",
  defaultPreloadStaleTime: 0,
  defaultErrorComponent: CrashPage,
  defaultPendingComponent: ScreenLoading,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

router.subscribe("onRendered", ({ pathChanged, fromLocation }) => {
  if (pathChanged && fromLocation) focusHeading();
});

onLoggedOutElsewhere(async () => {
  const { pathname, href } = router.latestLocation;
  if (pathname === "/login") return;
  modals.closeAll();
  await router.navigate({ to: "/login", search: { next: href }, replace: true });
  queryClient.clear();
});
