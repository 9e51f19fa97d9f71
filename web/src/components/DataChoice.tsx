import { Radio, Stack } from '@mantine/core';

/** The choice between live data and the sandbox, in the form field `live`: `live` or `test`. */
export const DataChoice = () => (
  <Radio.Group label="Data" name="live" defaultValue="live">
    <Stack gap="xs" mt={4}>
      <Radio value="live" label="Live data" />
      <Radio value="test" label="Sandbox (safe for testing)" />
    </Stack>
  </Radio.Group>
);
