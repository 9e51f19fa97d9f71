import { Button, FileButton, Group, Input, Pill, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { imageTypes, uploadFile } from '../api/files.ts';
import { ReportProblemDocument } from '../api/generated/graphql.ts';
import { execute } from '../api/graphql.ts';
import { PageLink } from '../app/Link.tsx';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { usePageTitle } from '../components/usePageTitle.ts';
import { Control } from '../console/Control.tsx';
import { useCompany } from '../console/company.ts';
import { actionOf, type Definition, useCollections, useDefinition } from '../console/definitions.ts';
import { problemsOf } from '../console/form/problems.ts';
import { Missing } from '../console/Missing.tsx';
import { partsOfPlace } from '../console/place-name.ts';
import { forgetRows } from '../console/writes.ts';
import { t } from '../texts/places-report.ts';
import { Trans } from '../texts/Trans.tsx';
import { type Place, parsePlace, placeQuery } from './report/place.ts';
import { Similar } from './report/Similar.tsx';

/** The longest title of a request; what does not fit is in the description. */
const maxTitle = 200;

/** What has become of a report. */
interface Outcome {
  readonly id: string;
  readonly title: string;
  readonly isFollowed: boolean;
}

/** Reports a problem, from a phone: what, where and a photo. Codes on walls lead here, and say where. */
export default function Report() {
  return useCollections().has('ServiceRequest') ? <ReportPage /> : <Missing />;
}

function ReportPage() {
  usePageTitle(t('reportAProblem'));
  const given = parsePlace(useSearch({ strict: false }));
  const definition = useDefinition('ServiceRequest');
  const { data: building, error } = useQuery(placeQuery(given.buildingId));
  const [outcome, setOutcome] = useState<Outcome>();
  if (!actionOf(definition, 'create')) return <Missing />;
  if (outcome) return <Done outcome={outcome} onAgain={() => setOutcome(undefined)} />;
  if (error) return <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert>;
  if (building === undefined) return <LoadingSkeleton />;
  return (
    <ReportForm
      definition={definition}
      place={{ ...given, buildingId: building?.id ?? null }}
      buildingName={building?.name}
      onDone={setOutcome}
    />
  );
}

interface Props {
  readonly definition: Definition;
  /** Where the address says that it is. */
  readonly place: Place;
  readonly buildingName: string | undefined;
  readonly onDone: (outcome: Outcome) => void;
}

function ReportForm({ definition, place: given, buildingName, onDone }: Props) {
  const [what, setWhat] = useState('');
  const [place, setPlace] = useState(given);
  const [photo, setPhoto] = useState<File | null>(null);
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const [firstLine = ''] = what.trim().split('\n');
      const isShort = firstLine === what.trim() && firstLine.length <= maxTitle;
      const attachmentIds = photo ? [await uploadFile(photo)] : [];
      const { createServiceRequest: created } = await execute(ReportProblemDocument, {
        input: {
          title: firstLine.slice(0, maxTitle),
          ...(!isShort && { description: what.trim() }),
          buildingId: place.buildingId,
          floor: place.floor || null,
          room: place.room || null,
          attachmentIds,
        },
      });
      await forgetRows();
      return created;
    },
    onSuccess: ({ id, title }) => onDone({ id, title, isFollowed: false }),
  });
  const problems = problemsOf(error, definition.fields);
  return (
    <form
      noValidate
      aria-label={t('reportAProblem')}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isPending) mutate();
      }}
    >
      <Stack maw={520}>
        <Title order={1} size="h2">
          {t('reportAProblem')}
        </Title>
        <Textarea
          label={t('whatIsTheProblem')}
          required
          autosize
          minRows={2}
          maxRows={10}
          value={what}
          error={problems.byField['title'] ?? problems.byField['description']}
          onChange={({ currentTarget }) => setWhat(currentTarget.value)}
        />
        <Similar
          buildingId={place.buildingId}
          text={what}
          onFollow={({ id, title }) => onDone({ id, title, isFollowed: true })}
        />
        <Where
          definition={definition}
          place={place}
          buildingName={place.buildingId === given.buildingId ? buildingName : undefined}
          onChange={setPlace}
          errors={problems.byField}
        />
        <Input.Wrapper label={t('photo')} labelElement="div">
          <Group gap="xs">
            <FileButton accept={imageTypes} onChange={setPhoto}>
              {(props) => (
                <Button {...props} variant="default" size="md">
                  {photo ? t('anotherPhoto') : t('addAPhoto')}
                </Button>
              )}
            </FileButton>
            {photo && (
              <Pill
                withRemoveButton
                onRemove={() => setPhoto(null)}
                removeButtonProps={{ 'aria-label': t('removePhoto'), 'aria-hidden': false, tabIndex: 0 }}
              >
                {photo.name}
              </Pill>
            )}
          </Group>
        </Input.Wrapper>
        {problems.message && <ErrorAlert title={t('couldntSendIt')}>{problems.message}</ErrorAlert>}
        <Button type="submit" size="md" loading={isPending}>
          {t('send')}
        </Button>
      </Stack>
    </form>
  );
}

interface WhereProps {
  readonly definition: Definition;
  readonly place: Place;
  readonly buildingName: string | undefined;
  readonly onChange: (place: Place) => void;
  readonly errors: Readonly<Record<string, string>>;
}

/** Where it is: as the address says it, until somebody changes that. */
function Where({ definition, place, buildingName, onChange, errors }: WhereProps) {
  const [isEditing, setIsEditing] = useState(buildingName === undefined);
  const building = definition.fields.find(({ name }) => name === 'buildingId');
  const text = partsOfPlace({ building: buildingName, floor: place.floor, room: place.room }).join(', ');
  if (!isEditing)
    return (
      <Group align="flex-end" gap="xs">
        <Textarea label={t('where')} readOnly autosize value={text} style={{ flex: 1 }} />
        <Button variant="default" aria-label={t('changeThePlace')} onClick={() => setIsEditing(true)}>
          {t('change')}
        </Button>
      </Group>
    );
  return (
    <Stack gap="xs">
      {building && (
        <Control
          field={{ ...building, description: undefined, isRequired: false }}
          value={place.buildingId}
          onChange={(id) => onChange({ ...place, buildingId: (id as string | null) ?? null })}
          error={errors['buildingId']}
          related={place.buildingId && buildingName ? { id: place.buildingId, name: buildingName } : null}
        />
      )}
      <Group gap="xs" grow>
        <TextInput
          label={t('floor')}
          value={place.floor}
          error={errors['floor']}
          onChange={({ currentTarget }) => onChange({ ...place, floor: currentTarget.value })}
        />
        <TextInput
          label={t('room')}
          value={place.room}
          error={errors['room']}
          onChange={({ currentTarget }) => onChange({ ...place, room: currentTarget.value })}
        />
      </Group>
    </Stack>
  );
}

function Done({ outcome: { id, title, isFollowed }, onAgain }: { outcome: Outcome; onAgain: () => void }) {
  const { slug } = useCompany();
  return (
    <Stack maw={520}>
      <Title order={1} size="h2">
        {isFollowed ? t('youFollowIt') : t('thankYou')}
      </Title>
      <Text role="status">
        <Trans
          t={t}
          name={isFollowed ? 'youAreToldWhatBecomesOf' : 'reported'}
          values={{ title }}
          components={{ request: <PageLink to={`/c/${slug}/requests/${id}`} /> }}
        />
      </Text>
      <Group>
        <Button variant="default" onClick={onAgain}>
          {t('reportAnotherProblem')}
        </Button>
      </Group>
    </Stack>
  );
}
