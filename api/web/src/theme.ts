import { type CSSVariablesResolver, createTheme, Menu, Modal, Tooltip } from "@mantine/core";
import { focusHeadingFromDialog } from "@/components/focusHeading";

export const theme = createTheme({
  primaryColor: "cyan",
  primaryShade: { light: 9, dark: 9 },
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
  headings: { fontWeight: "650" },
  components: {
    Tooltip: Tooltip.extend({ defaultProps: { events: { hover: true, focus: true, touch: true }, withArrow: true } }),
    Modal: Modal.extend({
      defaultProps: {
        centered: true,
        closeButtonProps: { "aria-label": "Close" },
        // Its <header> would count as a second banner of the page.
        attributes: { header: { role: "presentation" } },
        onExitTransitionEnd: focusHeadingFromDialog,
      },
    }),
    // In the content: what is in no landmark is hard to find. The placeholder would be a child that no menu may have.
    Menu: Menu.extend({
      defaultProps: { withInitialFocusPlaceholder: false, portalProps: { target: "#content" } },
    }),
  },
});

/** The greys and reds of the kit are too pale for text (WCAG 1.4.3); these have a contrast of 4.5 or more. */
export const readableColors: CSSVariablesResolver = () => ({
  variables: { "--mantine-primary-color-filled-hover": "#095c6b" },
  light: {
    "--mantine-color-dimmed": "#5c636a",
    "--mantine-color-placeholder": "#656d75",
    "--mantine-color-error": "#c92a2a",
  },
  dark: {
    "--mantine-color-dimmed": "#b0b3b8",
    "--mantine-color-placeholder": "#a3a6ab",
    "--mantine-color-error": "#ffa8a8",
    "--mantine-color-anchor": "#66d9e8",
  },
});
