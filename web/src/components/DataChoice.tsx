import { Radio, type RadioGroupProps, Stack } from '@mantine/core';

/** The choice between live data and the sandbox: `live` or `test`. */
export const DataChoice = (props: Omit<RadioGroupProps, 'children'>) => (
  <Radio.Group label="Data" name="live" {...props}>
    <Stack gap="xs" mt={4}>
      <Radio value="live" label="Live data" />
      <Radio value="test" label="Sandbox (safe for testing)" />
    </Stack>
  </Radio.Group>
);
