import { Anchor, Code, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { PageLink } from '../app/Link.tsx';
import { t } from '../texts/components.ts';

/**
 * Shows the Markdown that the tutorials use: headings, paragraphs, blocks of code, and inline code, emphasis and links.
 *
 * @param children the source
 * @param linkTo the address for a link's target; a link without one is shown as text
 */
export function Markdown({ children, linkTo }: { children: string; linkTo: (target: string) => string | undefined }) {
  const blocks = children.match(/^```[^]*?^```$|^[^\n]+(?:\n(?!```)[^\n]+)*/gm) ?? [];
  return blocks.map((block, index) => <Block key={index} source={block} linkTo={linkTo} />);
}

function Block({ source, linkTo }: { source: string; linkTo: (target: string) => string | undefined }) {
  const [, code] = /^```.*\n([^]*?)\n?```$/.exec(source) ?? [];
  if (code !== undefined)
    return (
      <Code block tabIndex={0} role="group" aria-label={t('code')}>
        {code}
      </Code>
    );
  const [, level, title] = /^(#+) (.*)$/.exec(source) ?? [];
  if (level && title)
    return (
      <Title order={level.length === 1 ? 1 : 2} size={level.length === 1 ? 'h2' : 'h3'}>
        {inline(title, linkTo)}
      </Title>
    );
  return <Text>{inline(source, linkTo)}</Text>;
}

/** Inline code, emphasis, links and addresses. */
const spans = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)]+)\)|<(https?:[^>]+)>/g;

/** Shows a line of Markdown. */
export function inline(text: string, linkTo: (target: string) => string | undefined): ReactNode[] {
  const nodes: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(spans)) {
    const [all, code, strong, label, target, address] = match;
    nodes.push(text.slice(end, match.index));
    const href = target && linkTo(target);
    if (code) nodes.push(<Code key={match.index}>{code}</Code>);
    else if (strong) nodes.push(<strong key={match.index}>{strong}</strong>);
    else if (target && href)
      nodes.push(
        <PageLink key={match.index} to={href} underline="always">
          {label}
        </PageLink>,
      );
    else if (address)
      nodes.push(
        <Anchor key={match.index} href={address} underline="always">
          {address}
        </Anchor>,
      );
    else nodes.push(label);
    end = match.index + all.length;
  }
  return [...nodes, text.slice(end)];
}
