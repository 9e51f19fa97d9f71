import { idArgument } from '../../names.ts';
import {
  type ArgumentBuilder,
  defineOperation,
  forEachResource,
  type InputFieldMap,
  maxRestored,
  type Resource,
  type Row,
  restoreRow,
  type SchemaExtension,
  selectionOf,
  storedField,
  uuidArgument,
} from '../../resource/index.ts';
import { dueReminder } from '../reminder/due.ts';

/** Restores what was deleted: an operation of each resource whose rows can be deleted. */
export const restores = forEachResource((resource) =>
  resource.actions.includes('delete') ? [defineRestore(resource)] : [],
);

function defineRestore(resource: Resource): SchemaExtension {
  const { type, words, scope, path, parent, rest } = resource;
  const id = (arg: ArgumentBuilder, of: Resource, required: boolean) =>
    arg.id({ required, description: `ID of the ${of.words.noun}.`, extensions: { stored: storedField(of, 'id') } });
  return defineOperation({
    of: resource,
    action: 'restore',
    rest: rest.actions.includes('delete'),
    field: `restore${type}`,
    label: 'Restore',
    path: `${path}/:id/restore`,
    access: `${scope}:write`,
    description: `Restore ${words.one} that was deleted, with all that was deleted with it: at most ${maxRestored} rows.`,
    args: (arg): InputFieldMap => ({
      ...(parent && { [idArgument(parent.resource.type)]: id(arg, parent.resource, false) }),
      id: id(arg, resource, true),
      dryRun: arg.boolean({
        defaultValue: false,
        description: 'Only try it.',
      }),
    }),
    run(args: Readonly<Row>, context, info, { resources }) {
      const parentId = parent && args[idArgument(parent.resource.type)];
      return restoreRow(resource, uuidArgument(args, 'id'), {
        context,
        resources,
        occurrences: [dueReminder],
        selection: selectionOf(context, info),
        within: parent && parentId != null ? { [parent.column]: parentId } : {},
        dryRun: args['dryRun'] === true,
      });
    },
  });
}
