// The models of the Prisma schema, as constants of the process. Definitions are made of them; what answers a request
// asks a definition, or the storage of its API.
import facts from '../../database/generated/facts.ts';
import { modelOf } from '../../database/read/schema-models.ts';
import type { StoredField } from '../../database/stored-field.ts';
import { spaced } from '../../names.ts';
import { type Column, type ModelName, type Rows, storedField } from './model.ts';
import { type GivenWords, wordsOf } from './words.ts';

/** What the generator writes of a model, besides what the database reads. */
interface Declared extends Pick<Rows, 'table' | 'uniques' | 'documentation'> {
  readonly words: GivenWords;
  /** Column → the model that it references, within the same company. */
  readonly references: Readonly<Record<string, ModelName>>;
  /** To-one relation → its foreign key column. */
  readonly relations: Readonly<Record<string, string>>;
  /** To-many relation → the model of its rows, their foreign key column, and `@many` of its comment. */
  readonly lists: Readonly<
    Record<string, { readonly model: ModelName; readonly column: string; readonly words?: string }>
  >;
}

// Each model of the Prisma schema has an entry.
const declared = facts.models as unknown as Readonly<Record<ModelName, Declared>>;

/** The names of all models. */
export const modelNames = Object.keys(declared) as ModelName[];

const known = new Map(modelNames.map((model) => [model, rowsOf(model)]));

/** The rows of a model. */
export const modelFacts = (model: ModelName): Rows => known.get(model) ?? rowsOf(model);

function rowsOf(model: ModelName): Rows {
  const { words, table, uniques, documentation, references, relations, lists } = declared[model];
  const { fields: stored, roles } = modelOf(model);
  const rows = { model, table, documentation, uniques, stored, roles };
  return {
    ...rows,
    words: wordsOf(model, words),
    // Models refer to each other in cycles, so the other one is found when it is asked for.
    relations: mapValues(relations, (column) => ({
      field: storedField(rows, column),
      get target() {
        return modelFacts(references[column] as ModelName);
      },
    })),
    lists: mapValues(lists, ({ model: other, column, words: many }, name) => ({
      column,
      words: many ?? spaced(name),
      get target() {
        return modelFacts(other);
      },
    })),
  };
}

function mapValues<From, To>(record: Readonly<Record<string, From>>, map: (value: From, name: string) => To) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}

/** The field of a column, for what is no resource's own. */
export const column = <Model extends ModelName>(model: Model, name: Column<Model>): StoredField =>
  storedField(modelFacts(model), name);

/** The longest text of a column, for an input that is stored there: `extensions` of the input. */
export const lengthOf = <Model extends ModelName>(model: Model, name: Column<Model>) => ({
  maxLength: column(model, name).maxLength,
});
