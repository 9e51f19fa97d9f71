import type { Caller } from '../../auth/caller.ts';
import { type Control, controls } from '../../fields/index.ts';
import {
  type ActionDescription,
  type ArgumentDescription,
  type Choice,
  decide,
  type FieldDescription,
  findRefusal,
  hiddenColumns,
  type ObjectFields,
  type ResourceDescription,
  type RowListDescription,
  type SchemaKit,
} from '../../resource/index.ts';

/** About how many there are of what has no pages; the cost of a query counts them. */
export const sizes = {
  resources: 60,
  fields: 12,
  choices: 2,
  actions: 3,
  input: 8,
  groups: 20,
  enums: 50,
  lists: 4,
  arguments: 2,
};

/** A description, and the caller whom it is for. */
export type For<Described> = Described & { readonly caller: Caller };

/** The builder of the fields of a description. */
type FieldBuilder = ObjectFields<FieldDescription>;

/** Adds the types of descriptions. */
export function addMetaTypes(kit: SchemaKit) {
  const ChoiceInfo = addChoiceType(kit);
  const FieldInfo = addFieldTypes(kit, ChoiceInfo);
  const ActionInfo = addActionType(kit, FieldInfo);
  return { ChoiceInfo, ActionInfo, ResourceInfo: addResourceType(kit, FieldInfo, ActionInfo) };
}

const addChoiceType = ({ builder }: SchemaKit) =>
  builder.objectRef<Choice>('ChoiceInfo').implement({
    description: 'A value of an enum.',
    fields: (t) => ({
      value: t.exposeString('value', { description: 'The value.', extensions: { rest: false } }),
      restValue: t.exposeString('restValue', { description: 'The value in REST.', extensions: { rest: 'value' } }),
      label: t.exposeString('label', { description: 'What people call it.' }),
      description: t.exposeString('description', { nullable: true, description: 'What it means.' }),
    }),
  });

/**
 * The types of the fields of rows and inputs, and of those of nested items: REST selects all fields of a type, so none
 * can be inside itself.
 */
function addFieldTypes({ builder }: SchemaKit, ChoiceInfo: ReturnType<typeof addChoiceType>) {
  const FormControl = builder.enumType('FormControl', {
    description: 'A control of a form.',
    values: Object.fromEntries(
      Object.entries(controls).map(([name, description]) => [name, { value: name as Control, description }]),
    ),
  });
  const fieldsOf = (t: FieldBuilder) => ({
    name: t.exposeString('name', { description: 'Its name.', extensions: { rest: false } }),
    restName: t.exposeString('restName', { description: 'Its name in REST.', extensions: { rest: 'name' } }),
    label: t.exposeString('label', { description: 'What people call it.' }),
    description: t.exposeString('description', { nullable: true, description: 'What it means.' }),
    type: t.exposeString('type', { description: 'The GraphQL type of a value.' }),
    control: t.field({
      type: FormControl,
      description: 'The control of a form in which people enter it; of a list, that of one value.',
      resolve: ({ control }) => control,
    }),
    isList: t.exposeBoolean('isList', { description: 'Whether it has several values.' }),
    isRequired: t.exposeBoolean('isRequired', {
      description: 'Of a row: whether it is always set. Of an operation: whether it must be given.',
    }),
    defaultValue: t.string({
      nullable: true,
      description: 'Its default, if that is a constant.',
      extensions: { rest: false },
      resolve: (field) => field.defaultValue,
    }),
    restDefaultValue: t.string({
      nullable: true,
      description: 'Its default in REST, if that is a constant.',
      extensions: { rest: 'default_value' },
      resolve: ({ defaultValue: initial, choices }) =>
        choices.find(({ value }) => value === initial)?.restValue ?? initial,
    }),
    maxLength: t.exposeInt('maxLength', { nullable: true, description: 'Maximum number of characters.' }),
    minimum: t.exposeFloat('minimum', { nullable: true, description: 'The least number.' }),
    exclusiveMinimum: t.exposeFloat('exclusiveMinimum', {
      nullable: true,
      description: 'The number that it must be greater than.',
    }),
    maximum: t.exposeFloat('maximum', { nullable: true, description: 'The greatest number.' }),
    exclusiveMaximum: t.exposeFloat('exclusiveMaximum', {
      nullable: true,
      description: 'The number that it must be less than.',
    }),
    decimalPlaces: t.exposeInt('decimalPlaces', {
      nullable: true,
      description: 'Maximum number of digits after the decimal point.',
    }),
    pattern: t.exposeString('pattern', {
      nullable: true,
      description: 'A regular expression that it must match.',
    }),
    choices: t.field({
      type: [ChoiceInfo],
      description: 'The values that it can have, if there are few.',
      extensions: { usualSize: sizes.choices },
      resolve: ({ choices }) => [...choices],
    }),
    references: t.exposeString('references', {
      nullable: true,
      description: 'The type of the resource whose rows it refers to, or has.',
    }),
  });
  const ItemFieldInfo = builder.objectRef<FieldDescription>('ItemFieldInfo').implement({
    description: 'A field of a nested item, such as a line of an order.',
    fields: fieldsOf,
  });
  return builder.objectRef<FieldDescription>('FieldInfo').implement({
    description: 'A field of a row, or a value that an operation takes.',
    fields: (t) => ({
      ...fieldsOf(t),
      relation: t.exposeString('relation', {
        nullable: true,
        description: 'The field that has the row it refers to.',
        extensions: { rest: false },
      }),
      isFilter: t.boolean({
        description: 'Of a row: whether lists can be filtered by it.',
        resolve: ({ isFilter }) => isFilter ?? false,
      }),
      isSort: t.boolean({
        description: 'Of a row: whether lists can be sorted by it.',
        resolve: ({ isSort }) => isSort ?? false,
      }),
      fields: t.field({
        type: [ItemFieldInfo],
        description: 'The fields of an item, if it has items.',
        extensions: { usualSize: 1 },
        resolve: ({ fields }) => [...fields],
      }),
    }),
  });
}

function addActionType({ builder }: SchemaKit, FieldInfo: ReturnType<typeof addFieldTypes>) {
  const ArgumentInfo = builder.objectRef<ArgumentDescription>('ArgumentInfo').implement({
    description: 'An argument of an operation.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'Its name.' }),
      type: t.exposeString('type', { description: 'Its type, such as `[ID!]!`.' }),
    }),
  });
  return builder.objectRef<For<ActionDescription>>('ActionInfo').implement({
    description: 'An operation that writes.',
    fields: (t) => ({
      action: t.exposeString('action', {
        description: 'What it does: `create`, `update`, `replace`, `delete` or `batch`.',
      }),
      field: t.exposeString('field', { description: 'Its mutation.' }),
      label: t.exposeString('label', { description: 'What a button that runs it is called.' }),
      description: t.exposeString('description', { nullable: true, description: 'What it does, in sentences.' }),
      path: t.exposeString('path', {
        nullable: true,
        description: 'Its path in REST, below /api/v1, with `{name}` for each id. Null if REST does not offer it.',
      }),
      isAllowed: t.boolean({
        description:
          'Whether the scopes and the role of the caller allow it. A row can still refuse it, such as one of another user.',
        resolve: ({ caller, ...action }) => findRefusal(caller, action) === undefined,
      }),
      arguments: t.field({
        type: [ArgumentInfo],
        description: 'Its arguments in GraphQL.',
        extensions: { usualSize: sizes.arguments, rest: false },
        resolve: (action) => [...action.arguments],
      }),
      input: t.field({
        type: [FieldInfo],
        description: 'What it takes, besides the ids of its row and of the row that this belongs to.',
        extensions: { usualSize: sizes.input },
        // What the caller may not set is left out.
        resolve({ caller, ...action }) {
          const { readOnly } = decide({ caller }, action);
          return action.input.filter(
            ({ name, creates }) => !readOnly.includes(name) && !(creates && findRefusal(caller, creates)),
          );
        },
      }),
    }),
  });
}

/** The fields of a resource that a caller can read. */
const visible = ({ caller, policies }: For<ResourceDescription>, fields: readonly FieldDescription[]) => {
  const hidden = hiddenColumns(caller, policies);
  return fields.filter(({ name }) => !hidden.includes(name));
};

/** The field whose value names a row, if the caller can read it. */
const titleOf = (resource: For<ResourceDescription>) => resource.title && visible(resource, [resource.title])[0];

function addResourceType(
  { builder }: SchemaKit,
  FieldInfo: ReturnType<typeof addFieldTypes>,
  ActionInfo: ReturnType<typeof addActionType>,
) {
  const RowListInfo = builder.objectRef<RowListDescription>('RowListInfo').implement({
    description: 'A list that each row of a resource has.',
    fields: (t) => ({
      field: t.exposeString('field', { description: 'Its field.' }),
      type: t.exposeString('type', { description: 'The type of its rows; `Change` of the history, `File` of files.' }),
      label: t.exposeString('label', { description: 'What people call it.' }),
    }),
  });
  return builder.objectRef<For<ResourceDescription>>('ResourceInfo').implement({
    description: 'A resource: its words, its fields, and what the caller can do with its rows.',
    fields: (t) => ({
      type: t.exposeString('type', { description: 'The GraphQL type of its rows.' }),
      path: t.exposeString('path', { description: 'Path of its list in REST, below /api/v1.' }),
      label: t.exposeString('label', { description: 'What people call one row.' }),
      plural: t.exposeString('plural', { description: 'What people call several rows.' }),
      group: t.exposeString('scope', { description: 'Its scope group.' }),
      parent: t.exposeString('parent', {
        nullable: true,
        description: 'The type of the rows that its rows belong to.',
      }),
      parentField: t.exposeString('parentField', {
        nullable: true,
        description: 'The field with the id of the row that a row belongs to.',
        extensions: { rest: false },
      }),
      listField: t.exposeString('listField', {
        nullable: true,
        description: 'The query of its list.',
        extensions: { rest: false },
      }),
      rowField: t.exposeString('rowField', {
        nullable: true,
        description: 'The query of one row by its id.',
        extensions: { rest: false },
      }),
      page: t.exposeString('page', {
        nullable: true,
        description: 'The part of the address of its pages after `/c/<company>/`, and before the id of a row.',
      }),
      isSearched: t.exposeBoolean('isSearched', { description: 'Whether its list takes `search`.' }),
      lists: t.field({
        type: [RowListInfo],
        description: 'The lists that each row has.',
        extensions: { usualSize: sizes.lists, rest: false },
        resolve: ({ lists }) => [...lists],
      }),
      titleField: t.string({
        nullable: true,
        description: 'The field whose value names a row.',
        extensions: { rest: false },
        resolve: (resource) => titleOf(resource)?.name,
      }),
      restTitleField: t.string({
        nullable: true,
        description: 'The field whose value names a row, by its name in REST.',
        extensions: { rest: 'title_field' },
        resolve: (resource) => titleOf(resource)?.restName,
      }),
      listFields: t.field({
        type: ['String'],
        description: 'The fields that a table of its rows shows.',
        extensions: { rest: false },
        resolve: (resource) => visible(resource, resource.shown).map(({ name }) => name),
      }),
      restListFields: t.field({
        type: ['String'],
        description: 'The fields that a table of its rows shows, by their names in REST.',
        extensions: { rest: 'list_fields' },
        resolve: (resource) => visible(resource, resource.shown).map(({ restName }) => restName),
      }),
      fields: t.field({
        type: [FieldInfo],
        description: 'The fields of its rows that the caller can read.',
        extensions: { usualSize: sizes.fields },
        resolve: (resource) => visible(resource, resource.fields),
      }),
      actions: t.field({
        type: [ActionInfo],
        description: 'The operations that write its rows.',
        extensions: { usualSize: sizes.actions },
        resolve: ({ actions, caller }) => actions.map((action) => ({ ...action, caller })),
      }),
    }),
  });
}
