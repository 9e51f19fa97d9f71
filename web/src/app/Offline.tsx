import { Button, Container, Group, Stack, Text, Title } from '@mantine/core';
import { useEffect, useState } from 'react';
import { shell } from '../../../src/pages/addresses.ts';
import { Logo } from '../components/Logo.tsx';
import { usePageTitle } from '../components/usePageTitle.ts';
import { countTaps } from '../taps/forget.ts';
import { t } from '../texts/app.ts';

/** What a browser shows where it cannot load a page. It knows nobody, so it shows nothing of anybody. */
export default function Offline() {
  usePageTitle(t('noConnection'));
  const [count, setCount] = useState(0);
  useEffect(() => void countTaps().then(setCount, () => undefined), []);
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
        <Group>
          <Button onClick={again}>{t('tryAgain')}</Button>
        </Group>
      </Stack>
    </Container>
  );
}
