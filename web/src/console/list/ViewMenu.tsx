import { ActionIcon, Button, Checkbox, Group, Popover, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { defaultParseSearch, defaultStringifySearch } from '@tanstack/react-router';
import { deleteSavedView, listSavedViews, type SavedView, saveView } from '../../api/saved-views.ts';
import { type ListSearch, parseListSearch } from '../../app/search.ts';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { t } from '../../texts/console.ts';
import type { Definition } from '../definitions.ts';
import { problemsOf } from '../form/problems.ts';

interface Props {
  readonly definition: Definition;
  readonly state: ListSearch;
  readonly onOpen: (state: ListSearch) => void;
}

/** The saved views of a list: opens one, and saves the list as it is now, for oneself or for the company. */
export default function ViewMenu({ definition, state, onOpen }: Props) {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const queryKey = ['views', definition.type];
  const { data: views = [] } = useQuery({ queryKey, queryFn: () => listSavedViews(definition.type) });
  const client = useQueryClient();
  const forget = () => client.invalidateQueries({ queryKey });
  const removal = useMutation({ mutationFn: deleteSavedView, onSuccess: forget });
  const open = ({ search }: SavedView) => {
    onOpen(parseListSearch(defaultParseSearch(search)));
    close();
  };
  return (
    <Popover
      opened={isOpen}
      onChange={close}
      position="bottom-end"
      trapFocus
      returnFocus
      withinPortal
      shadow="md"
      width={280}
    >
      <Popover.Target>
        <Button variant="default" size="xs" onClick={toggle} aria-expanded={isOpen}>
          {t('views')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          {views.map((view) => (
            <Group key={view.id} gap={4} wrap="nowrap" justify="space-between">
              <Button variant="subtle" size="compact-sm" c="inherit" onClick={() => open(view)}>
                {view.name}
              </Button>
              <Text size="xs">{view.isMine ? (view.isShared ? 'shared' : '') : view.savedBy}</Text>
              {view.isMine && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={t('deleteName', { name: view.name })}
                  onClick={() => removal.mutate(view.id)}
                >
                  ×
                </ActionIcon>
              )}
            </Group>
          ))}
          <SaveForm type={definition.type} state={state} onSaved={forget} />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

const fields = () => [{ name: 'name', label: t('name') }];

function SaveForm({ type, state, onSaved }: { type: string; state: ListSearch; onSaved: () => Promise<void> }) {
  const form = useForm({ initialValues: { name: '', isShared: false } });
  const { mutate, isPending, error } = useMutation({
    mutationFn: (values: { name: string; isShared: boolean }) =>
      saveView({ ...values, type, search: defaultStringifySearch({ ...state }) || '?' }),
    onSuccess: async () => {
      form.reset();
      await onSaved();
    },
  });
  const problems = problemsOf(error, fields());
  return (
    <form onSubmit={form.onSubmit((values) => mutate(values))} noValidate>
      <Stack gap="xs">
        <TextInput
          label={t('saveThisViewAs')}
          size="xs"
          error={problems.byField['name']}
          {...form.getInputProps('name')}
          maxLength={200}
        />
        <Checkbox
          size="xs"
          label={t('forEveryoneInTheCompany')}
          {...form.getInputProps('isShared', { type: 'checkbox' })}
        />
        {problems.message && <ErrorAlert title={t('couldntSaveTheView')}>{problems.message}</ErrorAlert>}
        <Button type="submit" size="xs" loading={isPending}>
          {t('saveView')}
        </Button>
      </Stack>
    </form>
  );
}
