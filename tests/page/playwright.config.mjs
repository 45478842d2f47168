// Started by scripts/page-tests, which says where everything is.
import { defineConfig } from '@playwright/test'

const CROWD = 'crowd.test.mjs'
const projects = [
  { name: 'screens', testMatch: '*.test.mjs', testIgnore: CROWD },
  // Measures how quick the page is, so nothing else runs beside it.
  { name: 'crowd', testMatch: CROWD, dependencies: ['screens'] },
]
const pictures = [{ name: 'screenshots', testMatch: 'screenshots.mjs' }]

export default defineConfig({
  testDir: '.',
  outputDir: `${process.env.FRAMEFARM_PAGE_OUTPUT}/results`,
  projects: process.env.FRAMEFARM_SCREENSHOTS ? pictures : projects,
  globalSetup: './setup.mjs',
  // One browser leaves a core idle while it waits. Each file of tests has a farm of its own.
  workers: 2,
  fullyParallel: false,
  forbidOnly: true,
  // The list at the end names those that passed only the second time: each is a bug to be found.
  retries: 1,
  reporter: [['list']],
  timeout: 240_000,
  expect: { timeout: 20_000 },
  use: {
    browserName: 'chromium',
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    actionTimeout: 20_000,
    // A trace of each test would take a third of the time; to see how one failed: playwright test --trace on.
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: '/usr/bin/chromium',
      // Chromium has no sandbox for root, and a container's /dev/shm may be small.
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--autoplay-policy=no-user-gesture-required', '--mute-audio'],
    },
  },
})
