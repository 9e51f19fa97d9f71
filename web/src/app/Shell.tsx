import { Badge, Burger, Button, Group, Text } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useLocation, useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { type Session, signOut } from '../api/auth.ts';
import type { Meta } from '../api/meta.ts';
import { ColorSchemeSelect } from '../components/ColorSchemeSelect.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { Logo } from '../components/Logo.tsx';
import { useLive } from '../live/useLive.ts';
import { broadcastSessionChange, companyName, leave } from '../session.ts';
import { forgetPerson } from '../taps/forget.ts';
import { t } from '../texts/app.ts';
import { PageLink } from './Link.tsx';
import { Navigation } from './Navigation.tsx';
import { PaletteButton } from './PaletteButton.tsx';
import { Unread } from './Unread.tsx';

interface Props {
  readonly session: Session | undefined;
  readonly meta: Meta | undefined;
  readonly children: ReactNode;
}

/** What surrounds each page of people who are signed in: company, navigation and actions that are always there. */
export function Shell({ session, meta, children }: Props) {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  useEffect(close, [close, pathname]);
  const menuButton = useRef<HTMLButtonElement>(null);
  const leaveNavigation = () => {
    if (!isOpen) return;
    close();
    menuButton.current?.focus();
  };
  useHotkeys([['Escape', leaveNavigation, { preventDefault: false }]]);
  useFocusOnNewPage();
  useLive(session?.person.id, session?.company?.id);
  const leaving = useMutation({
    mutationFn: signOut,
    onSuccess: async () => {
      if (session) await forgetPerson(session.person.id).catch(() => undefined);
      broadcastSessionChange();
      return leave(() => location.assign('/sign-in'));
    },
  });
  const company = session?.company;
  return (
    <div className="shell">
      <a className="skip-link" href="#main">
        {t('skipToContent')}
      </a>
      <header className="app-header">
        <Group h="100%" px="md" justify="space-between" gap="xs" wrap="nowrap">
          <Group gap="xs" wrap="nowrap" miw={0}>
            <Burger
              ref={menuButton}
              hiddenFrom="md"
              size="sm"
              opened={isOpen}
              onClick={toggle}
              aria-label={t('menu')}
              aria-expanded={isOpen}
            />
            {company ? (
              <PageLink to={`/c/${company.slug}`} c="inherit" display="flex" aria-label={t('start')}>
                <Logo />
              </PageLink>
            ) : (
              <Logo />
            )}
            <Text fw={700} lh={1.2} truncate>
              {company ? companyName(company) : 'Premises'}
            </Text>
            {company?.is_sandbox && <Badge variant="outline">{t('testData')}</Badge>}
          </Group>
          <Group gap="xs" wrap="nowrap" flex="none">
            {company && (
              <>
                <PaletteButton slug={company.slug} />
                <Unread />
              </>
            )}
            <Group visibleFrom="xs" gap="xs" wrap="nowrap">
              <ColorSchemeSelect />
            </Group>
            {session && (
              <Button
                variant="subtle"
                size="compact-sm"
                color="gray"
                c="inherit"
                disabled={leaving.isPending}
                onClick={() => leaving.mutate()}
              >
                {t('signOut')}
              </Button>
            )}
          </Group>
        </Group>
      </header>
      <div className={isOpen ? 'sidebar' : 'sidebar closed'}>
        {session && <Navigation session={session} meta={meta} />}
      </div>
      <main id="main" tabIndex={-1}>
        {leaving.error && <ErrorAlert title={t('couldntSignYouOut')}>{leaving.error.message}</ErrorAlert>}
        {children}
      </main>
    </div>
  );
}

/** Moves the focus to the content of a new page, as a browser does: else screen readers would not notice it. */
function useFocusOnNewPage() {
  const router = useRouter();
  const isFirst = useRef(true);
  useEffect(
    () =>
      router.subscribe('onResolved', ({ pathChanged }) => {
        if (pathChanged && !isFirst.current) document.getElementById('main')?.focus({ preventScroll: true });
        isFirst.current = false;
      }),
    [router],
  );
}
