import { Button, Modal, Stack } from '@mantine/core';
import type { RequestStatus } from '../../api/generated/graphql.ts';
import { queryClient } from '../../app/query-client.ts';
import { useMeta } from '../../components/useMeta.ts';
import { Control } from '../../console/Control.tsx';
import { usePageSession } from '../../console/company.ts';
import { type Definition, fieldOf, useCollections } from '../../console/definitions.ts';
import { titleQuery } from '../../console/rows.ts';
import { t } from '../../texts/places-requests.ts';
import type { QueuedRequest, Triage } from './queue.ts';

/** What is asked about a request. */
export interface Question {
  readonly about: 'assignee' | 'status';
  readonly request: QueuedRequest;
}

interface Props {
  readonly definition: Definition;
  readonly question: Question | undefined;
  readonly onClose: () => void;
  readonly onTriage: (triage: Triage) => void;
}

/** Asks who does a request, or what has become of it. The likeliest answer has the focus: Enter gives it. */
export function TriageDialogs({ definition, question, onClose, onTriage }: Props) {
  const answer = (triage: Triage) => {
    onClose();
    onTriage(triage);
  };
  const verb = question?.about === 'status' ? t('status') : t('assign');
  return (
    <Modal
      opened={question !== undefined}
      onClose={onClose}
      title={`${verb}: ${question?.request.title ?? ''}`}
      transitionProps={{ duration: 0 }}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {question?.about === 'status' && <Statuses request={question.request} onAnswer={answer} />}
      {question?.about === 'assignee' && (
        <Assignees definition={definition} request={question.request} onAnswer={answer} />
      )}
    </Modal>
  );
}

interface FormProps {
  readonly request: QueuedRequest;
  readonly onAnswer: (triage: Triage) => void;
}

/** What usually follows a status. */
const next: Readonly<Record<RequestStatus, RequestStatus>> = {
  PENDING: 'IN_PROGRESS',
  IN_PROGRESS: 'COMPLETED',
  COMPLETED: 'IN_PROGRESS',
};

function Statuses({ request, onAnswer }: FormProps) {
  const meta = useMeta();
  return (
    <Stack gap="xs">
      {meta
        .choices<RequestStatus>('RequestStatus')
        .filter(({ value }) => value !== request.status)
        .map(({ value, label }) => (
          <Button
            key={value}
            variant="default"
            data-autofocus={value === next[request.status] || undefined}
            onClick={() => onAnswer({ request, input: { status: value }, done: `${request.title}: ${label}.` })}
          >
            {label}
          </Button>
        ))}
    </Stack>
  );
}

function Assignees({ definition, request, onAnswer }: FormProps & { readonly definition: Definition }) {
  const { person } = usePageSession();
  const people = useCollections().get('User');
  const field = fieldOf(definition, 'assignedTo');
  const isMine = request.assignedTo === person.id;
  const assign = (id: string | null, fullName: string | undefined) =>
    onAnswer({
      request,
      input: { assignedTo: id },
      shown: { assignee: id === null ? null : { id, fullName: fullName ?? '…' } },
      done:
        id === null
          ? t('titleIsAssignedToNobody', { title: request.title })
          : t('titleIsAssignedToFullName', { title: request.title, fullName }),
    });
  const assignOther = async (id: string) => assign(id, await queryClient.fetchQuery(titleQuery(people, id)));
  return (
    <Stack gap="xs">
      {!isMine && (
        <Button variant="default" data-autofocus onClick={() => assign(person.id, person.full_name)}>
          {t('assignToMe')}
        </Button>
      )}
      {field && (
        <Control
          field={{ ...field, label: t('anotherPerson'), isRequired: true }}
          value={null}
          onChange={(id) => typeof id === 'string' && void assignOther(id)}
        />
      )}
      {request.assignedTo && (
        <Button variant="default" data-autofocus={isMine || undefined} onClick={() => assign(null, undefined)}>
          {t('assignToNobody')}
        </Button>
      )}
    </Stack>
  );
}
