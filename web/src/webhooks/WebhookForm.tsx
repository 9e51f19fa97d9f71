import { Checkbox, Radio, SimpleGrid, Stack, Textarea, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { ChangeAction, ChangedResource } from '../api/generated/graphql.ts';
import { ApiError } from '../api/http.ts';
import type { Choice as Option } from '../api/meta.ts';
import { createWebhook, updateWebhook, type Webhook } from '../api/webhooks.ts';
import { DataChoice } from '../components/DataChoice.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { FormButtons } from '../components/FormButtons.tsx';
import { fieldErrorsOf, messageOf } from '../components/problems.ts';
import { useFocusFirstError } from '../components/useFocusFirstError.ts';
import { useFields, useMeta } from '../components/useMeta.ts';
import { formatFieldError } from '../format.ts';
import { inSentence } from '../texts/texts.ts';
import { t } from '../texts/webhooks.ts';

interface Props {
  /** The webhook to change; a new one without it. */
  readonly webhook?: Webhook;
  /** Called once it is saved, with the secret of a new one. The form stays pending until it resolves. */
  readonly onSave: (secret: string | undefined) => void | Promise<void>;
  readonly onCancel: () => void;
}

/** A form that creates or changes a webhook. */
export function WebhookForm({ webhook, onSave, onCancel }: Props) {
  const { action, choices } = useMeta();
  const element = useRef<HTMLFormElement>(null);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: {
      name: webhook?.name ?? '',
      url: webhook?.url ?? '',
      filter: webhook?.filter ?? '',
      selection: webhook?.selection ?? '',
      live: 'live',
    },
  });
  const resources = useChoice('resources', choices<ChangedResource>('ChangedResource'), webhook?.resources);
  const actions = useChoice('actions', choices<ChangeAction>('ChangeAction'), webhook?.actions);
  const { mutate, isPending, error } = useMutation({
    mutationFn: async ({ name, url, filter, selection, live }: typeof form.values) => {
      const missing = { ...resources.missing, ...actions.missing };
      if (Object.keys(missing).length > 0) throw new ApiError('', 'VALIDATION_ERROR', missing);
      const input = {
        name: name.trim(),
        url: url.trim(),
        resources: resources.values,
        actions: actions.values,
        filter: filter.trim() || null,
        selection: selection.trim() || null,
      };
      if (!webhook) return createWebhook({ ...input, live: live === 'live' });
      await updateWebhook(webhook.id, input);
      return undefined;
    },
    onSuccess: onSave,
  });
  const fieldErrors = fieldErrorsOf(error);
  const message = messageOf(error);
  useFocusFirstError(element, error);
  const { labelled, text } = useFields(webhook ? 'updateWebhook' : 'createWebhook', fieldErrors);
  // Errors without a field of their own, and of choices, which fill more than a screen.
  const formError =
    message ?? formatFieldError(t('data'), fieldErrors['live']) ?? fieldErrors['resources'] ?? fieldErrors['actions'];
  const title = webhook ? t('editName', { name: webhook.name }) : t('newWebhook');

  return (
    <form ref={element} aria-label={title} onSubmit={form.onSubmit((values) => mutate(values))}>
      <Stack maw={720}>
        <Title order={3} size="h4">
          {title}
        </Title>
        <TextInput
          {...form.getInputProps('name')}
          {...text('name')}
          description={t('whatIsThisWebhookFor')}
          required
          autoFocus
        />
        <TextInput
          {...form.getInputProps('url')}
          {...text('url')}
          description={t('whereMessagesAreSent')}
          inputMode="url"
          autoCapitalize="off"
          spellCheck={false}
          required
        />
        <Choice label={labelled('resources').label} {...resources} />
        <Choice label={labelled('actions').label} {...actions} />
        <Textarea
          {...form.getInputProps('filter')}
          {...text('filter')}
          {...code}
          description={t('onlyRowsThatMatchAreSent')}
        />
        <Textarea
          {...form.getInputProps('selection')}
          {...text('selection')}
          {...code}
          description={t('theFieldsOfARowTo')}
        />
        {!webhook && <DataChoice {...form.getInputProps('live')} />}
        {formError && (
          <ErrorAlert title={webhook ? t('couldntChangeTheWebhook') : t('couldntCreateTheWebhook')}>
            {formError}
          </ErrorAlert>
        )}
        <FormButtons isPending={isPending} onCancel={onCancel}>
          {action(webhook ? 'updateWebhook' : 'createWebhook').label}
        </FormButtons>
      </Stack>
    </form>
  );
}

/** How a field for a part of a GraphQL query looks. */
const code = {
  autosize: true,
  minRows: 2,
  autoCapitalize: 'off',
  spellCheck: false,
  classNames: { input: 'token' },
} as const;

/** The state of a choice: all, or selected ones. The API has an empty list for all. */
function useChoice<Value extends string>(
  field: 'resources' | 'actions',
  options: readonly Option<Value>[],
  initial: readonly Value[] = [],
) {
  const [isAll, setIsAll] = useState(initial.length === 0);
  const [selected, setSelected] = useState<readonly string[]>(initial);
  // In the order of the options.
  const values = isAll ? [] : options.map(({ value }) => value).filter((value) => selected.includes(value));
  const missing: Record<string, string> =
    isAll || values.length > 0 ? {} : { [field]: t(field === 'resources' ? 'selectAResource' : 'selectAnAction') };
  return { options, isAll, setIsAll, selected, setSelected, values, missing };
}
type ChoiceProps = Pick<ReturnType<typeof useChoice>, 'options' | 'isAll' | 'setIsAll' | 'selected' | 'setSelected'> & {
  readonly label: string;
};

function Choice({ label, options, isAll, setIsAll, selected, setSelected }: ChoiceProps) {
  const noun = inSentence(label);
  return (
    <>
      <Radio.Group label={label} value={isAll ? 'all' : 'selected'} onChange={(value) => setIsAll(value === 'all')}>
        <Stack gap="xs" mt={4}>
          <Radio value="all" label={t('allOf', { noun })} />
          <Radio value="selected" label={t('selectedOf', { noun })} />
        </Stack>
      </Radio.Group>
      {!isAll && (
        <Checkbox.Group aria-label={t('selectedOf', { noun })} value={[...selected]} onChange={setSelected}>
          <SimpleGrid cols={{ base: 1, xs: 2, sm: 3 }} spacing="xs" verticalSpacing="xs">
            {options.map((option) => (
              <Checkbox key={option.value} value={option.value} label={option.label} />
            ))}
          </SimpleGrid>
        </Checkbox.Group>
      )}
    </>
  );
}
