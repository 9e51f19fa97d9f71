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
import { labelOf, pathTemplate, snakeCase, upperFirst } from '../../names.ts';
import { apiField, isEnum } from '../definition/model.ts';
import type { Operation } from '../definition/operation.ts';
import type { Resource } from '../definition/resource.ts';
import type {
  ActionDescription,
  ApiDescription,
  Choice,
  FieldDescription,
  ResourceDescription,
} from './description.ts';

/** The parts of an API that are described. */
interface Described {
  readonly schema: GraphQLSchema;
  readonly resources: readonly Resource[];
  readonly operations: readonly Operation[];
}

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
    const { type, words, scope, policies, parent, path, columns, shownColumns } = resource;
    const fields = columns.map((column) => {
      const field = apiField(resource, column);
      return this.column(field, field.required || column === parent?.column, resource.fields[column]?.rule);
    });
    const named = (name: string | undefined) => fields.find((field) => field.name === name);
    return {
      type,
      label: upperFirst(words.noun),
      plural: upperFirst(words.many),
      scope,
      policies,
      parent: parent?.resource.type,
      path: pathTemplate(path),
      title: named(words.title),
      shown: shownColumns.map(named).filter((field) => field !== undefined),
      fields,
      actions: actions.filter((action) => action.type === type),
    };
  }

  /** The operations that write, in the order of the schema. */
  actions(): ActionDescription[] {
    const { schema, operations } = this.api;
    const paths = new Map(operations.map(({ field, path }) => [field, path]));
    return Object.values(schema.getMutationType()?.getFields() ?? {}).flatMap((root) => {
      const { name: field, description, args, extensions } = root;
      const { access, type, action, policies, label } = extensions;
      if (!access || type === undefined || !action || !policies) return [];
      const path = paths.get(field);
      const ofResource = this.api.resources.some((resource) => resource.type === type);
      const words = label ?? labelOf(ofResource && field === action + type ? action : field);
      const input = this.inputOf(args, path);
      return [
        { field, label: words, description, access, type, action, policies, path: path && pathTemplate(path), input },
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
      return arg.name === 'ifMatch' || inPath.includes(arg.name) ? [] : [this.value(arg)];
    });
  }

  /** A value that a client gives. */
  private value(field: GraphQLInputField | GraphQLArgument): FieldDescription {
    const { name, type, extensions, description } = field;
    const isRequired = isNonNullType(type) && field.defaultValue === undefined;
    const { stored, rule } = extensions;
    if (stored?.name === name && isApiField(stored)) return this.column(stored, isRequired, rule);
    const named = getNamedType(type);
    const choices = isEnumType(named) ? choicesOf(named) : [];
    const fields = isInputObjectType(named) ? Object.values(named.getFields()).map((each) => this.value(each)) : [];
    const fieldType = typeOfScalar(named.name);
    const limits = { required: isRequired, list: false, maxLength: extensions.maxLength };
    return {
      name,
      restName: snakeCase(name),
      label: extensions.label ?? labelOf(name),
      description,
      type: named.name,
      control:
        fields.length > 0 ? 'ITEMS' : choices.length > 0 ? 'CHOICE' : textWithoutTarget(fieldType?.control(limits)),
      isList: isListType(getNullableType(type)),
      isRequired,
      maxLength: extensions.maxLength,
      choices,
      fields,
    };
  }

  /** A column. @param isRequired see `FieldDescription` */
  private column(field: ApiField, isRequired: boolean, rule: Rule | undefined): FieldDescription {
    const { name, type, references: target, relation } = field;
    const named = isEnum(field) ? this.api.schema.getType(type.name) : undefined;
    const control = type.control(field);
    const initial = field.default;
    return {
      name,
      restName: snakeCase(name),
      label: field.label ?? labelOf(relation ?? name.replace(/^is(?=[A-Z])/, '')),
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
