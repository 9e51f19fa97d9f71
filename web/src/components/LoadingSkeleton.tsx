import { Skeleton, Stack } from '@mantine/core';
import { t } from '../texts/components.ts';

/** A placeholder for content that is loading. */
export function LoadingSkeleton() {
  return (
    <Stack className="loading" role="status" aria-label={t('loading')}>
      <Skeleton h={36} w={220} />
      <Skeleton h={120} />
      <Skeleton h={240} />
    </Stack>
  );
}
