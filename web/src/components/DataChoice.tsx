import { Radio, type RadioGroupProps, Stack } from '@mantine/core';
import { t } from '../texts/components.ts';

/** The choice between live data and the sandbox: `live` or `test`. */
export const DataChoice = (props: Omit<RadioGroupProps, 'children'>) => (
  <Radio.Group label={t('data')} name="live" {...props}>
    <Stack gap="xs" mt={4}>
      <Radio value="live" label={t('liveData')} />
      <Radio value="test" label={t('sandboxSafeForTesting')} />
    </Stack>
  </Radio.Group>
);
