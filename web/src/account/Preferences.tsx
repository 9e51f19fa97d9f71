import { NativeSelect, SimpleGrid } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { languages } from '../../../src/auth/sessions/bodies.ts';
import { type Session, setPreferences } from '../api/auth.ts';
import { sessionQuery } from '../app/session.ts';
import { listTimeZones } from '../company-time.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { t } from '../texts/account.ts';
import { setReader } from '../texts/texts.ts';

/** A language as those who speak it call it. */
const nameOf = (language: string) => new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language;

/** The select that has just changed the page, which is made anew: the focus returns to it. */
let changed: keyof Preferred | undefined;

type Preferred = Pick<Session['person'], 'language' | 'time_zone'>;

/** The language of the pages and the time zone of times, which a person chooses for themselves. */
export function Preferences({ person }: { readonly person: Session['person'] }) {
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: setPreferences,
    onSuccess: async (session, given) => {
      changed = 'language' in given ? 'language' : 'time_zone';
      queryClient.setQueryData(sessionQuery.queryKey, session);
      // The words of the API, which were read in the former language.
      queryClient.removeQueries({ queryKey: ['api'] });
      await setReader(session.person);
    },
  });
  useEffect(() => {
    if (changed) document.getElementsByName(changed)[0]?.focus();
    changed = undefined;
  }, []);
  const choose = (name: keyof Preferred) => ({
    name,
    value: person[name] ?? '',
    disabled: isPending,
    onChange: ({ currentTarget }: { readonly currentTarget: HTMLSelectElement }) =>
      mutate({ [name]: currentTarget.value || null }),
  });
  const asInTheBrowser = { value: '', label: t('asInTheBrowser') };
  return (
    <>
      {error && <ErrorAlert title={t('couldntSavePreferences')}>{error.message}</ErrorAlert>}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NativeSelect
          label={t('language')}
          description={t('languageOfPages')}
          {...choose('language')}
          data={[asInTheBrowser, ...languages.map((value) => ({ value, label: nameOf(value) }))]}
        />
        <NativeSelect
          label={t('timeZone')}
          description={t('timeZoneOfTimes')}
          {...choose('time_zone')}
          data={[asInTheBrowser, ...listTimeZones(person.time_zone)]}
        />
      </SimpleGrid>
    </>
  );
}
