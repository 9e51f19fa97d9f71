import { Button, Container, Group, Stack, Text, Title } from '@mantine/core';
import { useEffect, useState } from 'react';
import { shell } from '../../../src/pages/addresses.ts';
import { Logo } from '../components/Logo.tsx';
import { usePageTitle } from '../components/usePageTitle.ts';
import { formatTime } from '../format.ts';
import { countTaps } from '../taps/forget.ts';
import { readShownWork, type ShownWork } from '../taps/shown.ts';
import { t } from '../texts/app.ts';

/**
 * What a browser shows where it cannot load a page. It knows nobody: it shows what this browser keeps until somebody
 * signs out, and says whose that is.
 */
export default function Offline() {
  usePageTitle(t('noConnection'));
  const [count, setCount] = useState(0);
  const [work, setWork] = useState<ShownWork>();
  useEffect(() => {
    void countTaps().then(setCount, () => undefined);
    void readShownWork().then(setWork, () => undefined);
  }, []);
  // The address is that of the page that could not be loaded.
  const again = () => (location.pathname === shell.page.address ? location.assign('/') : location.reload());
  useEffect(() => {
    window.addEventListener('online', again);
    return () => window.removeEventListener('online', again);
  });
  return (
    <Container component="main" size="xs" py="xl">
      <Stack>
        <Logo />
        <Title order={1} size="h2">
          {t('noConnection')}
        </Title>
        <Text>{t('thisPageIsShownAsSoon')}</Text>
        {count > 0 && <Text>{t('tapsWait', { count })}</Text>}
        {work && <KeptWork work={work} />}
        <Group>
          <Button onClick={again}>{t('tryAgain')}</Button>
        </Group>
      </Stack>
    </Container>
  );
}

function KeptWork({ work: { at, person, company, items } }: { readonly work: ShownWork }) {
  return (
    <section aria-labelledby="kept-work">
      <Title order={2} size="h4" id="kept-work">
        {t('workOfPerson', { person })}
      </Title>
      <Text size="sm">{t('companyAsOfTime', { company, time: formatTime(at) })}</Text>
      {items.length === 0 && <Text>{t('nothingWasAssigned')}</Text>}
      <ul className="list">
        {items.map(({ title, below }, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
          <li key={n}>
            <Text fw={600}>{title}</Text>
            <Text size="sm">{below}</Text>
          </li>
        ))}
      </ul>
    </section>
  );
}
