// What a schema says about its resources, for people and for programs that build forms: labels, types, limits, choices.
import {
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLInputField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { isApiField } from '../../database/read/models.ts';
import type { ApiField } from '../../database/stored-field.ts';
import { type Control, type JsonSchema, type Rule, typeOfScalar } from '../../fields/index.ts';
import { constantCase, kebabCase, labelOf, lowerFirst, pathTemplate, snakeCase, upperFirst } from '../../names.ts';
import { apiField, isEnum } from '../definition/model.ts';
import type { Action, Operation } from '../definition/operation.ts';
import type { Resource } from '../definition/resource.ts';
import type {
  ActionDescription,
  ApiDescription,
  Choice,
  FieldDescription,
  ResourceDescription,
  RowListDescription,
} from './description.ts';

/** The parts of an API that are described. */
interface Described {
  readonly schema: GraphQLSchema;
  readonly resources: readonly Resource[];
  readonly operations: readonly Operation[];
}

/** The actions on a row that there is. */
const ofRow: readonly Action[] = ['update', 'replace', 'delete'];

/** Describes an API. */
export function describeApi(api: Described): ApiDescription {
  const describer = new Describer(api);
  const actions = describer.actions();
  return {
    resources: api.resources.map((resource) => describer.resource(resource, actions)),
    actions,
    enums: new Map(shownEnums(api.schema).map((type) => [type.name, choicesOf(type)])),
  };
}

/** The enums that fields show; others are arguments alone, such as the fields that a list is sorted by. */
function shownEnums(schema: GraphQLSchema): GraphQLEnumType[] {
  const shown = Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) && !type.name.startsWith('__')
      ? Object.values(type.getFields()).map((field) => getNamedType(field.type))
      : [],
  );
  return [...new Set(shown.filter(isEnumType))];
}

/** The values of an enum. */
const choicesOf = (type: GraphQLEnumType): Choice[] =>
  type.getValues().map(({ name, description, extensions }) => {
    const restValue = extensions.restValue ?? name.toLowerCase();
    // The comment of a value of the database says what REST calls it, which is here already.
    return {
      value: name,
      restValue,
      label: extensions.label ?? labelOf(restValue),
      description: extensions.restValue === undefined ? description : null,
    };
  });

class Describer {
  private readonly typeOfModel = new Map<string, string>();

  constructor(private readonly api: Described) {
    for (const { model, type } of api.resources) if (!this.typeOfModel.has(model)) this.typeOfModel.set(model, type);
  }

  resource(resource: Resource, actions: readonly ActionDescription[]): ResourceDescription {
    const { type, words, scope, policies, parent, path, columns, shownColumns, isSingleton } = resource;
    const filter = this.api.schema.getType(`${type}Filter`);
    const sort = this.api.schema.getType(`${type}Sort`);
    const fields = columns.map((column) => {
      const field = apiField(resource, column);
      return {
        ...this.column(field, field.required || column === parent?.column, resource.fields[column]?.rule),
        relation: field.relation,
        isFilter: isInputObjectType(filter) && column in filter.getFields(),
        isSort: isEnumType(sort) && sort.getValue(constantCase(column)) !== undefined,
      };
    });
    const ofType = actions.filter((action) => action.type === type);
    const named = (name: string | undefined) => fields.find((field) => field.name === name);
    return {
      type,
      label: upperFirst(words.noun),
      plural: upperFirst(words.many),
      scope,
      policies,
      parent: parent?.resource.type,
      path: pathTemplate(path),
      ...this.queriesOf(type),
      parentField: parent?.column,
      lists: this.listsOf(type),
      title: named(words.title),
      shown: shownColumns.map(named).filter((field) => field !== undefined),
      fields,
      actions: ofType,
      rowActions: ofType.filter(({ field, action }) => ofRow.includes(action) && (isSingleton || this.takesId(field))),
    };
  }

  /** The root fields that read rows of a type. */
  private queriesOf(type: string) {
    const fields = Object.values(this.api.schema.getQueryType()?.getFields() ?? {});
    const list = fields.find((field) => getNamedType(field.type).name === `${type}Connection`);
    const row = fields.find(({ name, args }) => name === lowerFirst(type) && args.some(({ name }) => name === 'id'));
    const isSearched = list?.args.some(({ name }) => name === 'search') ?? false;
    const page = list && kebabCase(list.name);
    return { listField: list?.name, rowField: row?.name, page, isSearched };
  }

  /** The lists that a row of a type has: of rows, of its changes and of its files. */
  private listsOf(type: string): RowListDescription[] {
    const rows = this.api.schema.getType(type);
    return Object.values(isObjectType(rows) ? rows.getFields() : {}).flatMap(({ name, type: list }) => {
      const [, of] = /^(\w+)Connection$/.exec(getNamedType(list).name) ?? [];
      return of === undefined ? [] : [{ field: name, type: of, label: labelOf(name) }];
    });
  }

  private takesId(field: string): boolean {
    const { args = [] } = this.api.schema.getMutationType()?.getFields()[field] ?? {};
    return args.some(({ name }) => name === 'id');
  }

  /** The operations that write, in the order of the schema. */
  actions(): ActionDescription[] {
    const { schema, operations } = this.api;
    const routed = operations.flatMap((operation) => [operation, operation.orWrites ?? []].flat());
    const paths = new Map(routed.map(({ field, path }) => [field, path]));
    return Object.values(schema.getMutationType()?.getFields() ?? {}).flatMap((root) => {
      const { name: field, description, args, extensions } = root;
      const { access, type, action, policies, label } = extensions;
      if (!access || type === undefined || !action || !policies) return [];
      const path = paths.get(field);
      const ofResource = this.api.resources.some((resource) => resource.type === type);
      const words = label ?? labelOf(ofResource && field === action + type ? action : field);
      const given = {
        arguments: args.map((arg) => ({ name: arg.name, type: String(arg.type) })),
        input: this.inputOf(args, path),
      };
      return [
        {
          field,
          label: words,
          description,
          access,
          type,
          action,
          policies,
          path: path && pathTemplate(path),
          ...given,
        },
      ];
    });
  }

  /** What an operation takes: the fields of its input, and arguments that its path does not have. */
  private inputOf(args: readonly GraphQLArgument[], path: string | undefined): FieldDescription[] {
    const inPath = path?.match(/:\w+/g)?.map((name) => name.slice(1)) ?? [];
    return args.flatMap((arg) => {
      const input = getNullableType(arg.type);
      if (arg.name === 'input' && isInputObjectType(input))
        return Object.values(input.getFields()).map((field) => this.value(field));
      // A filter is described by the fields of the rows.
      return ['ifMatch', 'filter', ...inPath].includes(arg.name) ? [] : [this.value(arg)];
    });
  }

  /** A value that a client gives. @param levels how deep to describe the fields of an object: rows have items */
  private value(field: GraphQLInputField | GraphQLArgument, levels = 1): FieldDescription {
    const { name, type, extensions, description } = field;
    const isRequired = isNonNullType(type) && field.defaultValue === undefined;
    const { stored, rule, creates } = extensions;
    if (stored?.name === name && isApiField(stored)) return this.column(stored, isRequired, rule);
    const named = getNamedType(type);
    const choices = isEnumType(named) ? choicesOf(named) : [];
    // Rows of another resource are described by what creates one of them.
    const hasParts = isInputObjectType(named) && levels > 0 && !creates;
    const parts = hasParts ? Object.values(named.getFields()) : [];
    const fields = parts.map((each) => this.value(each, levels - 1));
    const fieldType = typeOfScalar(named.name);
    const limits = { required: isRequired, list: false, maxLength: extensions.maxLength };
    return {
      name,
      restName: snakeCase(name),
      label: extensions.label ?? labelOf(name),
      description,
      type: named.name,
      control: isInputObjectType(named)
        ? 'ITEMS'
        : choices.length > 0
          ? 'CHOICE'
          : textWithoutTarget(fieldType?.control(limits)),
      isList: isListType(getNullableType(type)),
      isRequired,
      maxLength: extensions.maxLength,
      choices,
      references: creates?.type,
      creates,
      fields,
    };
  }

  /** A column. @param isRequired see `FieldDescription` */
  private column(field: ApiField, isRequired: boolean, rule: Rule | undefined): FieldDescription {
    const { name, type, references: target } = field;
    const named = isEnum(field) ? this.api.schema.getType(type.name) : undefined;
    const control = type.control(field);
    const initial = field.default;
    return {
      name,
      restName: snakeCase(name),
      label: labelOfField(field),
      description: field.documentation,
      type: named?.name ?? type.name,
      control: target === undefined ? textWithoutTarget(control) : control,
      isList: field.list,
      isRequired,
      defaultValue: initial === undefined ? undefined : String(initial),
      ...limitsOf(type.jsonSchema('input', field, rule)),
      decimalPlaces: field.scale,
      choices: isEnumType(named) ? choicesOf(named) : [],
      references: target === undefined ? undefined : this.typeOfModel.get(target),
      fields: [],
    };
  }
}

/** An id that refers to no resource is entered as text. */
const textWithoutTarget = (control: Control = 'TEXT'): Control => (control === 'REFERENCE' ? 'TEXT' : control);

/** The limits that a JSON Schema has. */
function limitsOf(schema: JsonSchema) {
  const number = (name: string) => (typeof schema[name] === 'number' ? schema[name] : undefined);
  const { pattern, format } = schema;
  return {
    maxLength: format === undefined ? number('maxLength') : undefined,
    minimum: number('minimum'),
    exclusiveMinimum: number('exclusiveMinimum'),
    maximum: number('maximum'),
    exclusiveMaximum: number('exclusiveMaximum'),
    pattern: typeof pattern === 'string' ? pattern : undefined,
  };
}

/** What forms and files call a field. */
export const labelOfField = ({ label, relation, name }: ApiField): string =>
  label ?? labelOf(relation ?? name.replace(/^is(?=[A-Z])/, ''));
