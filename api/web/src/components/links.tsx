/** Mantine's looks with the router's typed addresses. */
import { Anchor, type AnchorProps, Button, type ButtonProps, NavLink, type NavLinkProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { ReactNode, Ref } from "react";

interface LinkParts {
  ref?: Ref<HTMLAnchorElement>;
  children?: ReactNode;
}

export const TextLink = createLink((props: Omit<AnchorProps, "href"> & LinkParts & { title?: string }) => (
  <Anchor {...props} />
));

export const ButtonLink = createLink((props: Omit<ButtonProps, "href"> & LinkParts) => (
  <Button component="a" {...props} />
));

export const NavigationLink = createLink((props: Omit<NavLinkProps, "href"> & LinkParts & { onClick?: () => void }) => (
  <NavLink component="a" {...props} />
));
