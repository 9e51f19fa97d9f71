import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, ComponentType, Ref } from 'react';

/** The properties of an `a` that a component of Mantine does not have itself. */
export type AnchorHtml<Props> = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof Props> & {
  readonly ref?: Ref<HTMLAnchorElement>;
};

type LinkProps = AnchorProps & AnchorHtml<AnchorProps>;

/** A link to another page, which opens without loading the document again. */
export const Link = createLink((props: LinkProps) => <Anchor {...props} />);

type LinkButtonProps = ButtonProps & AnchorHtml<ButtonProps>;

/** A link that looks like a button. */
export const LinkButton = createLink((props: LinkButtonProps) => <Button component="a" {...props} />);

/** A page that is no collection: one of `pages` or `places`, by its address. */
interface ToPage {
  readonly to: string;
  /** What follows the question mark. */
  readonly search?: Readonly<Record<string, string>>;
}

/** A link to a page that is no collection. */
export const PageLink = Link as ComponentType<LinkProps & ToPage>;

/** A `PageLink` that looks like a button. */
export const PageButton = LinkButton as ComponentType<LinkButtonProps & ToPage>;
