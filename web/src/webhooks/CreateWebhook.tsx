import { Button, Checkbox, Group, Radio, SimpleGrid, Stack, TextInput, Title } from '@mantine/core';
import { useRef, useState } from 'react';
import { ApiError } from '../api/http.ts';
import { createWebhook, listChoices } from '../api/webhooks.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { SubmitButton } from '../components/SubmitButton.tsx';
import { useFocusFirstError } from '../components/useFocusFirstError.ts';
import { useMutation } from '../components/useMutation.ts';
import { useQuery } from '../components/useQuery.ts';
import { formatFieldError, formatName } from '../format.ts';

interface Props {
  /** Receives the new webhook's secret. */
  readonly onCreate: (secret: string) => void;
  readonly onCancel: () => void;
}

/** A form that creates a webhook. */
export function CreateWebhook({ onCreate, onCancel }: Props) {
  const { data: choices, error: loadError } = useQuery(listChoices);
  const form = useRef<HTMLFormElement>(null);
  const resources = useChoice('resources', choices?.resources ?? []);
  const actions = useChoice('actions', choices?.actions ?? []);
  const { mutate, isPending, error, fieldErrors, message } = useMutation(async (data: FormData) => {
    const missing = { ...resources.missing, ...actions.missing };
    if (Object.keys(missing).length > 0) throw new ApiError('', 'VALIDATION_ERROR', missing);
    onCreate(
      await createWebhook({
        name: data.get('name') as string,
        url: data.get('url') as string,
        resources: resources.values,
        actions: actions.values,
        live: data.get('live') === 'live',
      }),
    );
  });
  useFocusFirstError(form, error);
  // Errors without a field of their own, and of choices, which fill more than a screen.
  const formError =
    loadError?.message ??
    message ??
    formatFieldError('Data', fieldErrors['live']) ??
    fieldErrors['resources'] ??
    fieldErrors['actions'];

  return (
    <form
      ref={form}
      aria-label="Create webhook"
      onSubmit={(event) => {
        event.preventDefault();
        mutate(new FormData(event.currentTarget));
      }}
    >
      <Stack maw={720}>
        <Title order={3} size="h4">
          New webhook
        </Title>
        <TextInput
          label="Name"
          description="What is this webhook for?"
          name="name"
          required
          withAsterisk={false}
          maxLength={200}
          autoFocus
          error={formatFieldError('Name', fieldErrors['name'])}
        />
        <TextInput
          label="URL"
          description="Where messages are sent, such as https://crm.example.com/premises"
          name="url"
          inputMode="url"
          autoCapitalize="off"
          spellCheck={false}
          required
          withAsterisk={false}
          maxLength={2000}
          error={formatFieldError('URL', fieldErrors['url'])}
        />
        <Choice label="Resources" noun="resources" {...resources} />
        <Choice label="Actions" noun="actions" {...actions} />
        <Radio.Group label="Data" name="live" defaultValue="live">
          <Stack gap="xs" mt={4}>
            <Radio value="live" label="Live data" />
            <Radio value="test" label="Sandbox (safe for testing)" />
          </Stack>
        </Radio.Group>
        {formError && <ErrorAlert title="Couldn't create the webhook">{formError}</ErrorAlert>}
        <Group>
          <SubmitButton isPending={isPending}>Create webhook</SubmitButton>
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The state of a choice: all, or selected ones. The API has an empty list for all. */
function useChoice<Value extends string>(field: string, options: readonly Value[]) {
  const [isAll, setIsAll] = useState(true);
  const [selected, setSelected] = useState<readonly string[]>([]);
  const values = isAll ? [] : options.filter((option) => selected.includes(option));
  const missing: Record<string, string> =
    isAll || values.length > 0 ? {} : { [field]: `Select at least one of the ${field}.` };
  return { options, isAll, setIsAll, selected, setSelected, values, missing };
}

type ChoiceProps = Pick<ReturnType<typeof useChoice>, 'options' | 'isAll' | 'setIsAll' | 'selected' | 'setSelected'> & {
  readonly label: string;
  readonly noun: string;
};

function Choice({ label, noun, options, isAll, setIsAll, selected, setSelected }: ChoiceProps) {
  return (
    <>
      <Radio.Group label={label} value={isAll ? 'all' : 'selected'} onChange={(value) => setIsAll(value === 'all')}>
        <Stack gap="xs" mt={4}>
          <Radio value="all" label={`All ${noun}`} />
          <Radio value="selected" label={`Selected ${noun}`} />
        </Stack>
      </Radio.Group>
      {!isAll && (
        <Checkbox.Group aria-label={`Selected ${noun}`} value={[...selected]} onChange={setSelected}>
          <SimpleGrid cols={{ base: 1, xs: 2, sm: 3 }} spacing="xs" verticalSpacing="xs">
            {options.map((option) => (
              <Checkbox key={option} value={option} label={formatName(option.toLowerCase())} />
            ))}
          </SimpleGrid>
        </Checkbox.Group>
      )}
    </>
  );
}
