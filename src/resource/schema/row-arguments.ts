// The arguments that say which rows an operation is about: the row's id, its parent's, and the ETag that it must have.
import type { Context } from '../../context.ts';
import { badRequest } from '../../errors.ts';
import { isUuid } from '../../formats.ts';
import { messages } from '../../input/index.ts';
import { idArgument } from '../../names.ts';
import type { Row, Where } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import { assertExists, findSingletonId } from '../read/query.ts';
import type { ArgumentBuilder, InputFieldMap } from './schema-kit.ts';

/** The argument of the parent's id. */
const parentArgumentName = ({ parent }: Resource) => parent && idArgument(parent.resource.type);

/** The argument that names the parent of rows; none for resources without one. */
export function parentArgument(resource: Resource, arg: ArgumentBuilder, required: boolean): InputFieldMap {
  const name = parentArgumentName(resource);
  if (!resource.parent || !name) return {};
  const { words, roles } = resource.parent.resource;
  const description = `The ${words.noun} it belongs to${required ? '' : '; by default, any'}.`;
  // In REST it is in the path; where it is not, a filter has the same name.
  return {
    [name]: arg.id({
      required,
      description,
      extensions: { stored: roles.key, rest: false },
    }),
  };
}

/** The arguments that name a row. */
export const idArguments = (resource: Resource, arg: ArgumentBuilder): InputFieldMap => ({
  ...parentArgument(resource, arg, false),
  ...(!resource.isSingleton && {
    id: arg.id({
      required: true,
      description: `ID of the ${resource.words.noun}.`,
      extensions: { stored: resource.roles.key },
    }),
  }),
});

/** The argument of the ETag that a row must have. */
export const matchArgument = ({ words }: Resource, arg: ArgumentBuilder): InputFieldMap => ({
  ifMatch: arg.string({
    description: `Expected \`etag\` of the ${words.noun}; another one is PRECONDITION_FAILED.`,
    extensions: { rest: false },
  }),
});

/** The id in the arguments, or that of a singleton's row. @throws ServiceError BAD_REQUEST or NOT_FOUND */
export const idOf = async (resource: Resource, args: Readonly<Row>, context: Context): Promise<string> =>
  resource.isSingleton ? findSingletonId(resource, context) : uuidArgument(args, 'id');

/** The parent's id in the arguments; undefined for a resource without a parent. @throws ServiceError BAD_REQUEST */
export function parentIdOf(resource: Resource, args: Readonly<Row>): string | undefined {
  const name = parentArgumentName(resource);
  return name && uuidArgument(args, name);
}

/** The condition for the rows of the parent that the arguments name; of all parents where they name none. */
export function parentWhere(resource: Resource, args: Readonly<Row>): Where {
  const name = parentArgumentName(resource);
  return resource.parent && name && args[name] != null ? { [resource.parent.column]: uuidArgument(args, name) } : {};
}

/** Distinguishes an empty list from one of a parent that does not exist. @throws ServiceError NOT_FOUND */
export async function assertParentExists(resource: Resource, args: Readonly<Row>, context: Context): Promise<void> {
  const name = parentArgumentName(resource);
  // A list of the rows of all parents has no parent id.
  if (!resource.parent || !name || args[name] == null) return;
  await assertExists(resource.parent.resource, uuidArgument(args, name), context);
}

/** The ETag that the row must have; none where any will do, as with `*`. */
export const expectedEtag = ({ ifMatch }: Row): string | undefined =>
  typeof ifMatch === 'string' && ifMatch !== '*' ? ifMatch : undefined;

/** An argument that must be a uuid. @throws ServiceError BAD_REQUEST */
export function uuidArgument(args: Readonly<Row>, name: string): string {
  const value = args[name];
  if (!isUuid(value)) throw badRequest(messages.uuid, name);
  return value;
}
