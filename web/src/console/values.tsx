import type { ReactNode } from 'react';
import { Link } from '../app/Link.tsx';
import { useMeta } from '../components/useMeta.ts';
import { t } from '../texts/console.ts';
import { useCompany } from './company.ts';
import { type Field, useCollections } from './definitions.ts';
import type { Row } from './rows.ts';
import { textOf } from './text.ts';
import { isEmpty, titleOf, valueText } from './value-text.ts';

/** The value of a field of a row, as people read it. A reference leads to its row. */
export function Value({ field, row }: { readonly field: Field; readonly row: Row }): ReactNode {
  const meta = useMeta();
  const value = row[field.name];
  if (isEmpty(value)) return <span aria-label={t('none2')}>–</span>;
  if (Array.isArray(value)) return valueText(field, value, meta.label);
  return <OneValue field={field} value={value} related={field.relation ? (row[field.relation] as Row | null) : null} />;
}

interface OneValueProps {
  readonly field: Field;
  readonly value: unknown;
  /** The row that it refers to. */
  readonly related: Row | null | undefined;
}

function OneValue({ field, value, related }: OneValueProps): ReactNode {
  const meta = useMeta();
  const text = valueText(field, value, meta.label);
  switch (field.control) {
    case 'REFERENCE':
      return <Reference field={field} id={text} related={related} />;
    case 'CHOICE':
      return <span className="choice">{text}</span>;
    case 'CHECKBOX':
      return text;
    case 'NUMBER':
    case 'DATE':
      return <span className="number">{text}</span>;
    case 'DATE_TIME':
      return (
        <time className="number" dateTime={textOf(value)}>
          {text}
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
