import { Stack, Title } from '@mantine/core';
import { ErrorAlert } from './ErrorAlert.tsx';
import { GuestPage } from './GuestPage.tsx';
import { LoadingSkeleton } from './LoadingSkeleton.tsx';

/** A page of guests whose data is loading, or could not be loaded. */
export const UnloadedGuestPage = ({ title, error }: { title: string; error: Error | null }) => (
  <GuestPage>
    {error ? (
      <Stack>
        <Title order={1} size="h2">
          {title}
        </Title>
        <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert>
      </Stack>
    ) : (
      <LoadingSkeleton />
    )}
  </GuestPage>
);
