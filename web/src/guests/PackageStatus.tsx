import { Anchor, Card, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { addPhoto } from '../api/files.ts';
import { ApiError } from '../api/http.ts';
import { type ExpectedPackage, getPackage } from '../api/packages.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { GuestPage } from '../components/GuestPage.tsx';
import { ImageButton } from '../components/ImageButton.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { fieldErrorsOf } from '../components/problems.ts';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { usePageTitle } from '../components/usePageTitle.ts';
import { formatDate, formatDay, formatNumber } from '../format.ts';
import { t } from '../texts/guests.ts';

const steps = ['expected', 'received', 'collected'] as const;
const stepLabels = () => ({ expected: t('expected'), received: t('received'), collected: t('collected') });
const headlines = () => ({ expected: t('onItsWay'), received: t('readyToCollect'), collected: t('collected') });

/** Shows guests the status of their package. */
export default function PackageStatus() {
  usePageTitle(t('packageStatus'));
  const token = location.pathname.split('/')[2] ?? '';
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['package', token],
    queryFn: () => getPackage(token),
  });
  const isUnknown = error instanceof ApiError && ['NOT_FOUND', 'BAD_REQUEST'].includes(error.code);
  return (
    <GuestPage>
      <Card withBorder shadow="sm" padding="lg">
        <Stack>
          <Title order={1} size="h2">
            {t('packageStatus')}
          </Title>
          {isUnknown && (
            <ErrorAlert title={t('packageNotFound')} takeFocus={false}>
              {t('theLinkMayBeIncompleteCheck')}
            </ErrorAlert>
          )}
          {error && !isUnknown && <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert>}
          {!data && !error && <LoadingSkeleton />}
          {data && !error && <Status {...data} />}
          {data && !error && <Photos token={token} count={data.photo_count} />}
          {!isUnknown && (
            <SubmitButton
              type="button"
              variant="default"
              isPending={isFetching && data !== undefined}
              onClick={() => void refetch()}
            >
              {t('refresh')}
            </SubmitButton>
          )}
        </Stack>
      </Card>
      <Text size="sm" mt="md" ta="center">
        <Anchor href="/packages">{t('registerAnotherDelivery')}</Anchor>
      </Text>
    </GuestPage>
  );
}

/** How many photos a package may have. */
const maxPhotos = 3;

interface PhotosProps {
  readonly token: string;
  readonly count: number;
}

/** Lets guests add photos to their package, such as of what is written on it. */
function Photos({ token, count }: PhotosProps) {
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (photo: File) => addPhoto(token, photo),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['package', token] }),
  });
  const problem = error && (fieldErrorsOf(error)['file'] ?? error.message);
  return (
    <div>
      <Text size="sm" mb="xs">
        {count === 0
          ? t('youCanAddUpToMaxPhotos', { maxPhotos })
          : t('photosForTheMailroomCountOf', { count, maxPhotos })}
      </Text>
      {count < maxPhotos && (
        <ImageButton label={t('addPhoto')} isPending={isPending} onPick={(photo) => mutate(photo)} />
      )}
      {problem && (
        <ErrorAlert title={t('couldntAddThePhoto')}>
          {problem.startsWith('must ') ? t('thePhotoProblem', { problem }) : problem}
        </ErrorAlert>
      )}
    </div>
  );
}

function Status({ status, received_at, created_at, ...details }: ExpectedPackage) {
  const current = steps.indexOf(status);
  const notes = {
    expected: t('registeredCreatedAt', { created_at: formatDay(created_at) }),
    received: received_at && formatDay(received_at),
    collected: null,
  };
  const rows: [label: string, value: string | null][] = [
    [t('recipient'), `${details.guest_name} (${details.guest_email})`],
    [t('company'), details.company_name],
    [t('contents'), details.description],
    [t('sender'), details.vendor_name],
    [t('trackingNumber'), details.tracking_number],
    [t('expected'), details.expected_date && formatDate(details.expected_date)],
    [t('packages'), details.quantity === null ? null : formatNumber(details.quantity)],
    [t('notes'), details.notes],
  ];
  return (
    <>
      <Text role="status" fw={700} size="lg">
        {headlines()[status]}
      </Text>
      <ol className="steps" aria-label={t('progress')}>
        {steps.map((step, index) => (
          <li
            key={step}
            className={index <= current ? 'done' : undefined}
            aria-current={index === current ? 'step' : undefined}
          >
            {stepLabels()[step]}
            {index <= current && notes[step] && <Text size="sm">{notes[step]}</Text>}
          </li>
        ))}
      </ol>
      <dl className="details">
        {rows.map(
          ([label, value]) =>
            value !== null && (
              <div key={label}>
                <dt>{label}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
    </>
  );
}
