import { Button, Group, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '../../api/http.ts';
import { queryClient } from '../../app/query-client.ts';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { Control } from '../../console/Control.tsx';
import { type Action, type Definition, fieldOf, useCollections, useInput } from '../../console/definitions.ts';
import { problemsOf } from '../../console/form/problems.ts';
import { MergeDialog } from '../../console/MergeDialog.tsx';
import { type Conflict, mergeChanges } from '../../console/merge.ts';
import { showDone } from '../../console/notices.tsx';
import { type Row, rowQuery } from '../../console/rows.ts';
import { runAction } from '../../console/writes.ts';
import { t } from '../../texts/places-requests.ts';

/** The fields at the side, in their order. */
const shown = [
  'title',
  'description',
  'status',
  'priority',
  'assignedTo',
  'category',
  'buildingId',
  'floor',
  'room',
] as const;

type Values = Readonly<Record<string, unknown>>;

/** Changes of a person, and the row as they saw it when they began. */
interface Draft {
  readonly base: Row;
  readonly mine: Values;
}

/** What a person has to decide before their changes are written. */
interface Decision {
  readonly latest: Row;
  readonly input: Values;
  readonly conflicts: readonly Conflict[];
}

interface Props {
  readonly definition: Definition;
  readonly action: Action;
  readonly row: Row;
}

/**
 * The fields of a request, which are changed where they stand. If somebody else has changed it meanwhile, what only one
 * of both has changed is merged, and the person decides on the rest.
 */
export function RequestFields({ definition, action, row }: Props) {
  const collections = useCollections();
  const inputs = useInput(action);
  const [draft, setDraft] = useState<Draft>();
  /** How many drafts were given up. */
  const [discarded, setDiscarded] = useState(0);
  const [decision, setDecision] = useState<Decision>();
  const { mutate, isPending, error } = useMutation({
    mutationFn: async ({ base, input }: { base: Row; input: Values }) => {
      if (Object.keys(input).length > 0) await runAction(action, { id: row.id, input, ifMatch: base['etag'] }, 'id');
    },
    onSuccess: () => {
      setDraft(undefined);
      setDecision(undefined);
      showDone(t('saved'));
    },
    onError: async (failure, { base, input }) => {
      if (!(failure instanceof ApiError && failure.code === 'PRECONDITION_FAILED')) return;
      const latest = await queryClient.fetchQuery({ ...rowQuery(definition, row.id, collections), staleTime: 0 });
      if (!latest) return;
      const merge = mergeChanges(base, input, latest);
      if (merge.conflicts.length > 0) setDecision({ latest, ...merge });
      else mutate({ base: latest, input: merge.input });
    },
  });
  const isOutdated = error instanceof ApiError && error.code === 'PRECONDITION_FAILED';
  const problems = problemsOf(isOutdated ? null : error, inputs);
  useBlocker({
    shouldBlockFn: () => !window.confirm(t('leaveThisPageWhatYouEntered')),
    enableBeforeUnload: draft !== undefined,
    disabled: draft === undefined,
  });
  const set = (name: string) => (value: unknown) =>
    setDraft((current) => ({ base: current?.base ?? row, mine: { ...current?.mine, [name]: value } }));
  const discard = () => {
    setDraft(undefined);
    setDiscarded((count) => count + 1);
  };
  const values: Values = { ...row, ...draft?.mine };
  return (
    <form
      noValidate
      aria-label={definition.label}
      onSubmit={(event) => {
        event.preventDefault();
        if (draft) mutate({ base: draft.base, input: draft.mine });
      }}
    >
      <Stack gap="xs">
        {shown.map((name) => {
          const input = inputs.find((each) => each.name === name);
          const relation = fieldOf(definition, name)?.relation;
          if (!input) return null;
          return (
            <Control
              // A reference keeps the name of what it was given first.
              key={`${name} ${String((draft?.base ?? row)[name])} ${discarded}`}
              field={{ ...input, description: undefined, isRequired: name === 'title' || name === 'status' }}
              value={values[name] ?? null}
              onChange={set(name)}
              error={problems.byField[name]}
              related={relation ? ((row[relation] ?? null) as Row | null) : null}
            />
          );
        })}
        {problems.message && <ErrorAlert title={t('couldntSave')}>{problems.message}</ErrorAlert>}
        {draft && (
          <Group gap="xs">
            <Button type="submit" loading={isPending}>
              {t('save')}
            </Button>
            <Button variant="default" onClick={discard}>
              {t('cancel')}
            </Button>
          </Group>
        )}
      </Stack>
      <MergeDialog
        definition={definition}
        conflicts={decision?.conflicts ?? []}
        onMerge={(mine) => decision && mutate({ base: decision.latest, input: { ...decision.input, ...mine } })}
        onClose={() => setDecision(undefined)}
      />
    </form>
  );
}
