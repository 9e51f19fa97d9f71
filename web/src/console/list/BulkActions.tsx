import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { t } from '../../texts/console.ts';
import { Control } from '../Control.tsx';
import { type Action, type Definition, type Input, useInput } from '../definitions.ts';
import { problemsOf } from '../form/problems.ts';
import { LabelMenu } from '../LabelMenu.tsx';
import { showDone, showProblem } from '../notices.tsx';
import { runAction } from '../writes.ts';

interface Props {
  readonly definition: Definition;
  readonly ids: readonly string[];
  readonly onDone: () => void;
}

/** What became of many rows. */
interface Changed {
  readonly count: number;
  readonly changed: number;
  readonly ids: readonly string[];
}

const changed = 'count changed ids';

/** What can be done with the selected rows together. */
export default function BulkActions({ definition, ids, onDone }: Props) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const find = (action: string) => definition.actions.find((each) => each.action === action && each.isAllowed);
  const [update, remove, restore] = [find('updateMany'), find('deleteMany'), find('restore')];
  const given = { filter: { id: { in: ids } }, expectedCount: ids.length };
  const deletion = useMutation({
    mutationFn: (action: Action) => runAction<Changed>(action, given, changed),
    onSuccess: ({ ids: deleted }) => {
      const undo = restore && (() => Promise.all(deleted.map((id) => runAction(restore, { id }, 'id'))));
      showDone(t('rowsDeleted', { count: deleted.length }), undo);
      onDone();
    },
    onError: (error) => showProblem(t('couldntDeleteTheRows'), error),
  });
  return (
    <Group gap="xs">
      <Text size="sm">{t('rowsSelected', { count: ids.length })}</Text>
      <LabelMenu type={definition.type} ids={ids} size="xs" />
      {update && (
        <Button size="xs" variant="default" onClick={open}>
          {t('change')}
        </Button>
      )}
      {remove && (
        <Button size="xs" variant="default" loading={deletion.isPending} onClick={() => deletion.mutate(remove)}>
          {t('delete')}
        </Button>
      )}
      {update && (
        <Modal
          opened={isOpen}
          onClose={close}
          title={t('changeRows', { count: ids.length })}
          closeButtonProps={{ 'aria-label': t('close') }}
        >
          <ChangeForm
            action={update}
            given={given}
            onDone={() => {
              close();
              onDone();
            }}
          />
        </Modal>
      )}
    </Group>
  );
}

interface ChangeProps {
  readonly action: Action;
  readonly given: Readonly<Record<string, unknown>>;
  readonly onDone: () => void;
}

/** Sets one field of all selected rows. */
function ChangeForm({ action, given, onDone }: ChangeProps) {
  const fields = useInput(action).filter(
    ({ name, control }) => !['expectedCount', 'dryRun'].includes(name) && control !== 'ITEMS',
  );
  const [name, setName] = useState(fields[0]?.name ?? '');
  const [value, setValue] = useState<unknown>(null);
  const field = fields.find((each) => each.name === name);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => runAction<Changed>(action, { ...given, input: { [name]: value } }, changed),
    onSuccess: ({ changed: count }) => {
      showDone(t('rowsChanged', { count }));
      onDone();
    },
  });
  if (!field) return null;
  const problems = problemsOf(error, [field]);
  return (
    <form
      onSubmit={(event: SubmitEvent) => {
        event.preventDefault();
        mutate();
      }}
    >
      <Stack>
        <Control
          field={fieldChoice(fields)}
          value={name}
          onChange={(chosen) => {
            setName(String(chosen));
            setValue(null);
          }}
        />
        <Control
          key={name}
          field={{ ...field, isRequired: false }}
          value={value}
          onChange={setValue}
          error={problems.byField[name]}
        />
        {problems.message && <ErrorAlert title={t('couldntChangeTheRows')}>{problems.message}</ErrorAlert>}
        <Group justify="flex-end">
          <Button type="submit" loading={isPending}>
            {t('change2')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** A control that chooses one of several fields. */
const fieldChoice = (fields: readonly Input[]) => ({
  ...{ name: 'field', label: t('field'), control: 'CHOICE' as const, type: '', isList: false, isRequired: true },
  ...{ maxLength: null, minimum: null, maximum: null, decimalPlaces: null, references: null },
  choices: fields.map(({ name, label }) => ({ value: name, label })),
});
