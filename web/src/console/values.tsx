import type { ReactNode } from 'react';
import { Link } from '../app/Link.tsx';
import { useMeta } from '../components/useMeta.ts';
import { formatDate, formatNumber, formatTime } from '../format.ts';
import { t } from '../texts/console.ts';
import { useCompany } from './company.ts';
import { type Field, useCollections } from './definitions.ts';
import { type Row, titleOf } from './rows.ts';
import { textOf } from './text.ts';

/** Whether values of a field stand at the end of their cells, digit below digit. */
export const isNumeric = ({ control, isList }: Pick<Field, 'control' | 'isList'>) => control === 'NUMBER' && !isList;

/** The value of a field of a row, as people read it. A reference leads to its row. */
export function Value({ field, row }: { readonly field: Field; readonly row: Row }): ReactNode {
  const value = row[field.name];
  if (value === null || value === undefined || value === '') return <span aria-label={t('none2')}>–</span>;
  if (Array.isArray(value)) return <ListOfValues field={field} values={value} />;
  return <OneValue field={field} value={value} related={field.relation ? (row[field.relation] as Row | null) : null} />;
}

function ListOfValues({ field, values }: { readonly field: Field; readonly values: readonly unknown[] }): ReactNode {
  const meta = useMeta();
  if (values.length === 0) return <span aria-label={t('none2')}>–</span>;
  if (field.control === 'ITEMS') return formatNumber(values.length);
  return values
    .map((value) => (field.control === 'CHOICE' ? meta.label(field.type, textOf(value)) : textOf(value)))
    .join(', ');
}

interface OneValueProps {
  readonly field: Field;
  readonly value: unknown;
  /** The row that it refers to. */
  readonly related: Row | null | undefined;
}

function OneValue({ field, value, related }: OneValueProps): ReactNode {
  const meta = useMeta();
  const text = textOf(value);
  switch (field.control) {
    case 'REFERENCE':
      return <Reference field={field} id={text} related={related} />;
    case 'CHOICE':
      return <span className="choice">{meta.label(field.type, text)}</span>;
    case 'CHECKBOX':
      return value === true ? t('yes') : t('no');
    case 'NUMBER':
      return <span className="number">{formatNumber(Number(value))}</span>;
    case 'DATE':
      return <span className="number">{formatDate(text)}</span>;
    case 'DATE_TIME':
      return (
        <time className="number" dateTime={text}>
          {formatTime(text)}
        </time>
      );
    default:
      return /^https?:\/\//.test(text) ? (
        <a href={text} rel="noopener noreferrer" target="_blank">
          {text}
        </a>
      ) : (
        <span className="long">{text}</span>
      );
  }
}

function Reference({ field, id, related }: { field: Field; id: string; related: Row | null | undefined }): ReactNode {
  const { slug } = useCompany();
  const target = useCollections().get(field.references ?? '');
  // Rows that the person cannot read have no name for them.
  if (!target) return <span className="long">{id}</span>;
  const title = related ? titleOf(target, related) : target.label;
  if (!target.page || !target.rowField || !related) return title;
  return (
    <Link inherit to="/c/$company/$collection/$id" params={{ company: slug, collection: target.page, id }}>
      {title}
    </Link>
  );
}
