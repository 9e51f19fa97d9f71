// A Prisma generator: writes the column metadata that the resource kit uses and Prisma's client does not provide at run
// time. See src/database/read/schema-models.ts and src/resource/definition/facts.ts.
import { writeFile } from 'node:fs/promises';
import helper from '@prisma/generator-helper';

helper.generatorHandler({
  onManifest: () => ({ prettyName: 'column facts', defaultOutput: 'facts.ts' }),
  async onGenerate({ dmmf, generator }) {
    const { models, enums } = dmmf.datamodel;
    const facts = {
      models: Object.fromEntries(models.map((model) => [model.name, factsOfModel(model, models)])),
      enums: Object.fromEntries(
        enums.map(({ name, dbName, values, documentation }) => [
          name,
          {
            documentation,
            databaseType: dbName ?? name,
            mappedValues: Object.fromEntries(values.map((v) => [v.name, v.dbName ?? v.name])),
          },
        ]),
      ),
    };
    await writeFile(
      generator.output.value,
      `// Written by prisma/facts.mjs; do not edit.\nexport default ${JSON.stringify(facts, null, 2)} as const;\n`,
    );
  },
});

/**
 * What columns are in all models that have them, by the names that the schema gives them: the one place that knows a
 * role by a name. What reads the facts asks for the role; see `Role` in src/database/stored-field.ts.
 */
const roles = {
  companyId: ['company', ({ type }) => type === 'String'],
  id: [
    'key',
    ({ name, isId }, { primaryKey, uniqueFields }) =>
      isId || primaryKey?.fields.includes(name) || uniqueFields.some((fields) => fields.includes(name)),
  ],
  createdAt: ['creation', ({ default: value }) => value?.name === 'now'],
  updatedAt: ['update', ({ isUpdatedAt }) => isUpdatedAt],
  status: ['status', ({ kind }) => kind === 'enum'],
  externalSource: ['externalSource', ({ type, isRequired }) => type === 'String' && !isRequired],
  externalId: ['externalId', ({ type, isRequired }) => type === 'String' && !isRequired],
  attachmentIds: ['attachments', ({ isList }) => isList],
};

/** What is said of columns that are the same in all models. */
const commonTexts = {
  externalSource: {
    documentation: 'The system that has `externalId`.',
    example: 'erp',
  },
  externalId: {
    documentation: 'ID in that system.',
    label: 'External ID',
    example: '4711',
  },
  attachments: { documentation: 'The attached files.', label: 'Attachments' },
};

/** The role of a column; undefined for one that has none, or is of another kind. */
function roleOf(model, field) {
  const [role, isOfKind] = roles[field.name] ?? [];
  return role && isOfKind(field, model) ? role : undefined;
}

/**
 * The column, besides the company's and the row's own id, that stores a relation; undefined on the relation's other
 * side.
 */
const foreignColumn = (model, field) =>
  (field.relationFromFields ?? []).find(
    (column) =>
      !['company', 'key'].includes(
        roleOf(
          model,
          model.fields.find(({ name }) => name === column),
        ),
      ),
  );

/** The columns that a relation joins: this model's and the other's. */
function joinedColumns(field, opposite) {
  const { relationFromFields: from, relationToFields: to } = field;
  if (from.length > 0) return from.map((column, i) => [column, to[i]]);
  return opposite.relationToFields.map((column, i) => [column, opposite.relationFromFields[i]]);
}

/** Prisma's name of a unique index; PostgreSQL allows 63 characters. */
const indexName = (parts) => `${parts.join('_').slice(0, 59)}_key`;

/** The text of a `///` comment, and the values of its lines `@<tag> <value>`. */
function readComment(documentation = '') {
  const [text, ...tagged] = documentation.split(/^@/m);
  const tags = Object.fromEntries(
    tagged.map((tag) => /^(\S+) ([^]*)/.exec(tag).slice(1)).map(([tag, value]) => [tag, value.trim()]),
  );
  return { ...(text.trim() && { documentation: text.trim() }), tags };
}

/** What a field's comment says: its text, `@label`, `@example`, and `@maxLength` of names in columns without limit. */
function documentationOf(model, { name, type, documentation }) {
  const { tags, ...text } = readComment(documentation);
  const { label, example, maxLength } = tags;
  return {
    ...text,
    ...(label !== undefined && { label }),
    ...(maxLength !== undefined && { maxLength: Number(maxLength) }),
    ...(example !== undefined && { example: exampleValue(`${model.name}.${name}`, type, example) }),
  };
}

/** What people call rows: `@one` and `@many`. */
const wordsOf = ({ one, many }) => ({ ...(one !== undefined && { one }), ...(many !== undefined && { many }) });

/** An example as the API's JSON value. */
function exampleValue(field, type, text) {
  if (text === 'null') return null;
  if (!['Int', 'BigInt', 'Float', 'Decimal'].includes(type)) return text;
  const number = Number(text);
  if (Number.isNaN(number)) throw new Error(`${field}: the example ${text} is not a number.`);
  return number;
}

function factsOfModel(model, models) {
  const columns = {};
  const references = {};
  const lists = {};
  const relations = {};
  const joins = {};
  for (const field of model.fields) {
    if (field.kind === 'object') {
      const target = models.find(({ name }) => name === field.type);
      const opposite = target.fields.find((f) => f.relationName === field.relationName && f !== field);
      joins[field.name] = { model: field.type, list: field.isList, on: joinedColumns(field, opposite) };
      const column = foreignColumn(model, field);
      if (column) {
        references[column] = field.type;
        relations[field.name] = column;
      } else if (field.isList) {
        // A company's own rows are referenced by this column alone.
        const [only] = opposite.relationFromFields;
        const { many } = readComment(field.documentation).tags;
        lists[field.name] = {
          model: field.type,
          column: foreignColumn(target, opposite) ?? only,
          ...(many !== undefined && { words: many }),
        };
      }
      continue;
    }
    const [native, args] = field.nativeType ?? [];
    const role = roleOf(model, field);
    columns[field.name] = {
      ...(field.dbName && { databaseName: field.dbName }),
      type: native === 'Date' ? 'Date' : native === 'Uuid' ? 'Uuid' : field.type,
      enum: field.kind === 'enum',
      list: field.isList,
      required: field.isRequired,
      hasDefault: field.hasDefaultValue || field.isUpdatedAt === true,
      ...(typeof field.default === 'string' || typeof field.default === 'number' || typeof field.default === 'boolean'
        ? { default: field.default }
        : {}),
      ...(field.default?.name === 'now' && { now: true }),
      ...(role !== undefined && { role }),
      ...commonTexts[role],
      ...documentationOf(model, field),
      ...(native === 'VarChar' && { maxLength: Number(args[0]) }),
      ...(native === 'Decimal' && { precision: Number(args[0]), scale: Number(args[1]) }),
    };
  }
  const table = model.dbName ?? model.name;
  const dbName = (column) => model.fields.find(({ name }) => name === column).dbName ?? column;
  const uniques = Object.fromEntries(
    model.uniqueFields.map((unique) => [
      indexName([table, ...unique.map(dbName)]),
      unique.filter((column) => roles[column]?.[0] !== 'company'),
    ]),
  );
  // Prisma has no partial indexes: the function `external_ids_of` of the migrations creates it.
  if (columns.externalId?.role) uniques[`${table}_external_id_key`] = ['externalSource', 'externalId'];
  const { tags, ...text } = readComment(model.documentation);
  return {
    ...text,
    words: wordsOf(tags),
    table,
    columns,
    references,
    relations,
    joins,
    lists,
    uniques,
  };
}
