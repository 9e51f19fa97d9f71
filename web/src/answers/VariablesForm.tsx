import { Button, Group, MultiSelect, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { type ReactNode, type SubmitEvent, useState } from 'react';
import type { Meta } from '../api/meta.ts';
import { useMeta } from '../components/useMeta.ts';
import { textOf } from '../console/text.ts';
import { t } from '../texts/answers.ts';
import type { Variable } from './document.ts';
import { labelOf } from './parts.ts';

type Values = Readonly<Record<string, unknown>>;

/** Types whose values are written as JSON. */
const isStructured = ({ isList, type }: Variable) =>
  isList || /(Filter|Input|Order|Condition|Range|Operators)$/.test(type);
const isNumber = ({ type }: Variable) => type === 'Int' || type === 'Float';

interface Props {
  readonly variables: readonly Variable[];
  readonly values: Values;
  readonly onRun: (values: Values) => void;
}

/** The variables of a query: each change is run by the button. */
export function VariablesForm({ variables, values, onRun }: Props) {
  const meta = useMeta();
  const [texts, setTexts] = useState(() =>
    Object.fromEntries(variables.map((variable) => [variable.name, writtenOf(variable, values[variable.name], meta)])),
  );
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const read = variables.map((variable) => readOf(variable, texts[variable.name] ?? '', meta));
    const found = Object.fromEntries(
      variables.flatMap(({ name }, index) => (read[index]?.problem ? [[name, read[index].problem]] : [])),
    );
    setProblems(found);
    if (Object.keys(found).length > 0) return;
    onRun(
      Object.fromEntries(
        variables.flatMap(({ name }, index) => (read[index]?.value === undefined ? [] : [[name, read[index].value]])),
      ),
    );
  };
  return (
    <form aria-label={t('variables')} onSubmit={submit} noValidate>
      <Group align="flex-end" gap="xs">
        {variables.map((variable) => (
          <VariableControl
            key={variable.name}
            variable={variable}
            text={texts[variable.name] ?? ''}
            problem={problems[variable.name]}
            onChange={(text) => setTexts({ ...texts, [variable.name]: text })}
          />
        ))}
        <Button type="submit" size="xs">
          {t('run')}
        </Button>
      </Group>
    </form>
  );
}

/** Values of a list of an enum are written with commas. */
const isChosen = ({ type }: Variable, meta: Meta) => meta.choices(type).length > 0;

function writtenOf(variable: Variable, value: unknown, meta: Meta): string {
  const given = value === undefined ? variable.defaultValue : value;
  if (given === undefined || given === null) return '';
  if (isChosen(variable, meta) && Array.isArray(given)) return given.map(textOf).join(',');
  return isStructured(variable) ? JSON.stringify(given) : textOf(given);
}

interface ReadValue {
  readonly value?: unknown;
  readonly problem?: string;
}

function readOf(variable: Variable, text: string, meta: Meta): ReadValue {
  if (text.trim() === '') return variable.isRequired ? { problem: t('enterAValue') } : {};
  if (isChosen(variable, meta)) return { value: variable.isList ? text.split(',') : text };
  if (variable.type === 'Boolean' && !variable.isList) return { value: text === 'true' };
  if (!isNumber(variable) && !isStructured(variable)) return { value: text };
  try {
    const value: unknown = JSON.parse(text);
    return isNumber(variable) && !variable.isList && typeof value !== 'number'
      ? { problem: t('enterANumber') }
      : { value };
  } catch {
    return { problem: isStructured(variable) ? t('enterJSON') : t('enterANumber') };
  }
}

interface ControlProps {
  readonly variable: Variable;
  readonly text: string;
  readonly problem: string | undefined;
  readonly onChange: (text: string) => void;
}

function VariableControl({ variable, text, problem, onChange }: ControlProps): ReactNode {
  const meta = useMeta();
  const { name, type, isList, isRequired } = variable;
  const common = { size: 'xs', label: labelOf(name), error: problem, required: isRequired, withAsterisk: false };
  const choices = meta.choices(type).map(({ value, label }) => ({ value, label }));
  const unset = isRequired ? [] : [{ value: '', label: t('any') }];
  if (choices.length > 0 && isList)
    return (
      <MultiSelect
        {...common}
        data={choices}
        value={text === '' ? [] : text.split(',')}
        onChange={(values) => onChange(values.join(','))}
      />
    );
  const options =
    choices.length > 0
      ? choices
      : type === 'Boolean' && !isList
        ? [
            { value: 'true', label: t('yes') },
            { value: 'false', label: t('no') },
          ]
        : undefined;
  if (options)
    return (
      <NativeSelect
        {...common}
        data={[...unset, ...options]}
        value={text}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    );
  if (isStructured(variable))
    return (
      <Textarea
        {...common}
        description={t('asJSON')}
        autosize
        maxRows={6}
        value={text}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    );
  return (
    <TextInput
      {...common}
      inputMode={isNumber(variable) ? 'decimal' : 'text'}
      value={text}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
