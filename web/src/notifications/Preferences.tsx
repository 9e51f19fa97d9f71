import { Card, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { listPreferences, type NotificationDelivery, type Preference, setPreference } from '../api/notifications.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { useMeta } from '../components/useMeta.ts';
import { t } from '../texts/notifications.ts';
import { inSentence } from '../texts/texts.ts';

/** How the person is notified of each kind. */
export function Preferences() {
  const { data: preferences, error: loadError } = useQuery({
    queryKey: ['preferences'],
    queryFn: listPreferences,
  });
  const [status, setStatus] = useState('');
  const heading = useRef<HTMLHeadingElement>(null);
  const isLoaded = preferences !== undefined;
  // Links in emails lead here; the browser looked for this element before it was rendered.
  useEffect(() => {
    if (isLoaded && location.hash === '#preferences') heading.current?.scrollIntoView();
  }, [isLoaded]);
  return (
    <Card component="section" withBorder padding="lg" aria-labelledby="preferences">
      <Stack>
        <Title order={2} size="h3" id="preferences" ref={heading}>
          {t('notificationSettings')}
        </Title>
        <Text size="sm">{t('theseSettingsApplyToYouIn')}</Text>
        {loadError && <ErrorAlert takeFocus={false}>{loadError.message}</ErrorAlert>}
        {!preferences && !loadError && <LoadingSkeleton />}
        {preferences?.map((preference) => (
          <PreferenceSelect key={preference.kind} preference={preference} onSave={setStatus} />
        ))}
        <Text role="status" size="sm">
          {status}
        </Text>
      </Stack>
    </Card>
  );
}

interface SelectProps {
  readonly preference: Preference;
  /** Called with a message that describes what was saved. */
  readonly onSave: (message: string) => void;
}

function PreferenceSelect({ preference: { kind, delivery }, onSave }: SelectProps) {
  const { label, choices } = useMeta();
  const name = label('NotificationKind', kind);
  const [saved, setSaved] = useState(delivery);
  /** The choice that is being saved, which the field shows meanwhile. */
  const [chosen, setChosen] = useState<NotificationDelivery>();
  const { mutate, error } = useMutation({
    // One after another, so that the last choice remains.
    scope: { id: `preference-${kind}` },
    mutationFn: (next: NotificationDelivery) => setPreference(kind, next),
    onSuccess: (_saved, next) => {
      setSaved(next);
      onSave(`${name}: ${inSentence(label('NotificationDelivery', next))}.`);
    },
    onSettled: (_saved, _error, next) => setChosen((last) => (last === next ? undefined : last)),
  });
  const choose = (next: NotificationDelivery) => {
    setChosen(next);
    mutate(next);
  };
  return (
    <>
      {error && <ErrorAlert title={t('couldntSaveYourChoice')}>{error.message}</ErrorAlert>}
      <NativeSelect
        label={name}
        description={t(`kinds.${kind}`)}
        value={chosen ?? saved}
        data={choices('NotificationDelivery')}
        // The options are deliveries.
        onChange={({ currentTarget }) => choose(currentTarget.value as NotificationDelivery)}
      />
    </>
  );
}
