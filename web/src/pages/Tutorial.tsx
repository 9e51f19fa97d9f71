import { Anchor, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { usePagePath } from '../app/usePagePath.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { GuestPage } from '../components/GuestPage.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { Markdown } from '../components/Markdown.tsx';
import { usePageTitle } from '../components/usePageTitle.ts';
import { t } from '../texts/docs.ts';

const sources = import.meta.glob<string>('../../../docs/tutorials/*.md', { query: '?raw', import: 'default' });

const nameOf = (path: string) => /([\w-]+)(\.md|\/)?$/.exec(path)?.[1];

/** Loads the tutorial of an address, with the service's own address in its commands. */
async function loadTutorial(pathname: string): Promise<string> {
  const load = Object.entries(sources).find(([path]) => nameOf(path) === nameOf(pathname))?.[1];
  if (!load) throw new Error('There is no such tutorial.');
  return (await load()).replaceAll('http://localhost:4000', location.origin);
}

/** Only the tutorials are pages; other documents are beside the source code. */
const linkTo = (target: string) => (/^[\w-]+\.md$/.test(target) ? `/tutorials/${nameOf(target)}` : undefined);

export default function Tutorial() {
  usePageTitle(t('tutorial'));
  const pathname = usePagePath();
  const { data, error } = useQuery({
    queryKey: ['tutorial', pathname],
    queryFn: () => loadTutorial(pathname),
    staleTime: Infinity,
  });
  return (
    <GuestPage size={860}>
      <Stack>
        <Anchor href="/developers">{t('allTutorials')}</Anchor>
        {error && <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert>}
        {!data && !error && <LoadingSkeleton />}
        {data && (
          <div lang="en">
            <Markdown linkTo={linkTo}>{data}</Markdown>
          </div>
        )}
      </Stack>
    </GuestPage>
  );
}
