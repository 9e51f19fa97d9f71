import { Button, Group, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { t } from '../../texts/console.ts';
import { Control } from '../Control.tsx';
import { type Action, type Definition, type Field, type Input, useInput } from '../definitions.ts';
import type { Row } from '../rows.ts';
import { AttachedFiles } from './AttachedFiles.tsx';
import { FileControl } from './FileControl.tsx';
import { ItemsControl } from './ItemsControl.tsx';
import { problemsOf } from './problems.ts';

/** Values by field, as the API takes them. */
export type Values = Readonly<Record<string, unknown>>;

/** What programs set, and people do not. */
const forPrograms = ['id', 'externalSource', 'externalId'];

/** The fields of a form: those that people enter. Rows of lists are added on the page of the row. */
export const formFields = (input: readonly Input[]): Input[] =>
  input.filter(
    ({ name, control, fields }) => !forPrograms.includes(name) && (control !== 'ITEMS' || fields.length > 0),
  );

interface Props {
  readonly definition: Definition;
  readonly action: Action;
  /** The row that is changed; without one, the form creates one. */
  readonly row?: Row;
  /** What is entered at first in place of the defaults. */
  readonly initial?: Values;
  readonly submitLabel: string;
  /** Writes. @param values of a new row all that were entered, of another one those that changed */
  readonly onSubmit: (values: Values) => Promise<void>;
  readonly onCancel: () => void;
}

/** The form of a row: a control for each field, with all errors at their fields. */
export function ResourceForm({ definition, action, row, initial, submitLabel, onSubmit, onCancel }: Props) {
  const fields = formFields(useInput(action));
  const form = useForm<Record<string, unknown>>({ initialValues: initialValues(fields, row, initial) });
  const { mutate, isPending, error, isSuccess } = useMutation({
    mutationFn: (values: Values) => onSubmit(row ? changesOf(values, form.getInitialValues()) : givenOf(values)),
  });
  const problems = problemsOf(error, fields);
  const element = useRef<HTMLFormElement>(null);
  const isDirty = form.isDirty() && !isSuccess && !isPending;
  // Leaving would lose what was entered.
  useBlocker({
    shouldBlockFn: () => isDirty && !window.confirm(t('leaveThisPageWhatYouEntered')),
    enableBeforeUnload: isDirty,
    disabled: !isDirty,
  });
  useEffect(() => {
    if (error) element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  const set = (name: string) => (value: unknown) => form.setFieldValue(name, value);
  return (
    <form ref={element} noValidate onSubmit={form.onSubmit((values) => mutate(values))} aria-label={definition.label}>
      <Stack maw={640}>
        {fields.map((field) => (
          <FormField
            key={field.name}
            field={field}
            value={form.getValues()[field.name]}
            onChange={set(field.name)}
            errors={problems.byField}
            related={relatedOf(definition, field.name, row)}
          />
        ))}
        {problems.message && <ErrorAlert title={t('couldntSave')}>{problems.message}</ErrorAlert>}
        <Group>
          <Button type="submit" loading={isPending}>
            {submitLabel}
          </Button>
          <Button variant="default" onClick={onCancel}>
            {t('cancel')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface FieldProps {
  readonly field: Input;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly errors: Readonly<Record<string, string>>;
  readonly related: Row | null;
}

function FormField({ field, value, onChange, errors, related }: FieldProps) {
  const error = errors[field.name];
  if (field.name === 'attachmentIds')
    return <AttachedFiles ids={value as readonly string[]} onChange={onChange} error={error} />;
  if (field.name === 'fileId') return <FileControl value={value as string | null} onChange={onChange} error={error} />;
  if (field.control === 'ITEMS')
    return <ItemsControl field={field} value={value} onChange={onChange} errors={errors} />;
  return <Control field={field} value={value} onChange={onChange} error={error} related={related} />;
}

/** The row that a field of a row refers to. */
function relatedOf({ fields }: Definition, name: string, row: Row | undefined): Row | null {
  const relation = fields.find((field) => field.name === name)?.relation;
  return relation && row ? ((row[relation] ?? null) as Row | null) : null;
}

/** What a form shows first: the row as it is, or the defaults. */
const initialValues = (fields: readonly Input[], row: Row | undefined, initial: Values = {}) =>
  Object.fromEntries(
    fields.map((field) => [
      field.name,
      row ? (row[field.name] ?? emptyOf(field)) : (initial[field.name] ?? defaultOf(field)),
    ]),
  );

const emptyOf = ({ isList, control }: Pick<Field, 'isList' | 'control'>) => (isList || control === 'ITEMS' ? [] : null);

function defaultOf(field: Input): unknown {
  const { defaultValue, control } = field;
  if (defaultValue === null) return control === 'CHECKBOX' ? false : emptyOf(field);
  if (control === 'CHECKBOX') return defaultValue === 'true';
  return control === 'NUMBER' ? Number(defaultValue) : defaultValue;
}

const isEmpty = (value: unknown) =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

/** What was entered for a new row: what is empty is left out, for the service to set. */
const givenOf = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => !isEmpty(value)));

/** What was changed. */
const changesOf = (values: Values, before: Values): Values =>
  Object.fromEntries(
    Object.entries(values).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  );
