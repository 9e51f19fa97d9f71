import { permits } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { type ScopeGroup, scopeGroups, scopes } from '../../auth/scopes.ts';
import {
  type Choice,
  type Definition,
  defineOperation,
  defineType,
  type Registry,
  type ResourceDescription,
} from '../../resource/index.ts';
import { addMetaTypes, type For, sizes } from './types.ts';

const metaTypes = defineType(addMetaTypes);

const ApiInfo = defineType((kit) => {
  const { builder, registry } = kit;
  const { ChoiceInfo, ResourceInfo } = metaTypes(kit);
  const ScopeGroupInfo = builder.objectRef<GroupEntry>('ScopeGroupInfo').implement({
    description: 'A group of resources that scopes are named after.',
    fields: (t) => ({
      name: t.exposeString('group', { description: 'The part of a scope before the colon.' }),
      label: t.string({ description: 'What people call it.', resolve: ({ group }) => scopeGroups[group].name }),
      description: t.string({
        description: 'The resources that it covers.',
        resolve: ({ group }) => scopeGroups[group].description,
      }),
      scopes: t.field({
        type: ['String'],
        description: 'Its scopes.',
        resolve: ({ group }) => scopes.filter((scope) => scope.startsWith(`${group}:`)),
      }),
      path: t.string({
        nullable: true,
        description: 'Path of a list of its rows in REST, below /api/v1.',
        resolve: ({ path }) => path,
      }),
    }),
  });
  const EnumInfo = builder.objectRef<{ name: string; choices: readonly Choice[] }>('EnumInfo').implement({
    description: 'A type of values of which there are few.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'Name of the type.' }),
      choices: t.field({
        type: [ChoiceInfo],
        description: 'Its values, in their order.',
        extensions: { usualSize: sizes.choices },
        resolve: ({ choices }) => [...choices],
      }),
    }),
  });
  return builder.objectRef<object>('ApiInfo').implement({
    description: 'What the API says about itself, as far as the caller may read and write.',
    fields: (t) => ({
      resources: t.field({
        type: [ResourceInfo],
        description: 'The resources that the caller can read.',
        extensions: { usualSize: sizes.resources },
        resolve: (_root, _args, { caller }) => readable(registry, caller),
      }),
      scopeGroups: t.field({
        type: [ScopeGroupInfo],
        description: 'The groups of resources that scopes are named after.',
        extensions: { usualSize: sizes.groups },
        resolve: () => groupsOf(registry),
      }),
      enums: t.field({
        type: [EnumInfo],
        description: 'The types of values of which there are few.',
        extensions: { usualSize: sizes.enums },
        resolve: () => [...registry.description.enums].map(([name, choices]) => ({ name, choices })),
      }),
    }),
  });
});

/**
 * What the schema says about itself: the resources with their fields and actions, as far as the caller may read and
 * write them, and the words for enums and scopes.
 */
const apiInfo = defineOperation({
  action: 'read',
  rest: true,
  field: 'meta',
  path: '/meta',
  access: 'caller',
  type: 'ApiInfo',
  words: { one: 'the API info' },
  tag: { name: 'Meta', description: 'What the API says about itself.' },
  description: 'Get the resources that you can read, with their fields and actions, and the words for values.',
  returns: ApiInfo,
  run: async () => ({}),
});

const inGraphql = { action: 'read', rest: false, path: '/meta', access: 'caller' } as const;

/** The resources as a list of their own. */
const resources = defineOperation({
  ...inGraphql,
  field: 'resources',
  type: 'ResourceInfo',
  usualSize: sizes.resources,
  description: 'The resources that you can read, with their fields and actions.',
  returns: (kit) => [metaTypes(kit).ResourceInfo],
  args: (arg) => ({ types: arg.stringList({ description: 'The types to return; all by default.' }) }),
  run: async ({ types }, { caller }, _info, registry) =>
    readable(registry, caller).filter(({ type }) => types?.includes(type) ?? true),
});

/** The actions, also those of no resource. */
const actions = defineOperation({
  ...inGraphql,
  field: 'actions',
  type: 'ActionInfo',
  words: { one: 'an action info' },
  usualSize: sizes.actions,
  description: 'The operations that write, with what they take; also those of no resource.',
  returns: (kit) => [metaTypes(kit).ActionInfo],
  args: (arg) => ({ fields: arg.stringList({ required: true, description: 'The root fields to return.' }) }),
  run: async ({ fields }, { caller }, _info, registry) =>
    registry.description.actions.filter(({ field }) => fields.includes(field)).map((action) => ({ ...action, caller })),
});

/** The description of the API, in both APIs. */
export const meta: readonly Definition[] = [apiInfo, resources, actions];

interface GroupEntry {
  readonly group: ScopeGroup;
  readonly path: string | undefined;
}

/** The resources that a caller can read. */
const readable = (registry: Registry, caller: Caller): For<ResourceDescription>[] =>
  registry.description.resources
    .filter(({ scope }) => permits(caller, `${scope}:read`))
    .map((resource) => ({ ...resource, caller }));

/** The scope groups, each with the path of the first list that needs no other row's id. */
const groupsOf = ({ resources }: Pick<Registry, 'resources'>): GroupEntry[] =>
  Object.keys(scopeGroups).map((group) => {
    const listed = resources.find(
      ({ scope, parent, rest, isSingleton }) =>
        scope === group && !parent && !isSingleton && rest.actions.includes('list'),
    );
    // Keys of an object are any text to the compiler.
    return { group: group as ScopeGroup, path: listed?.path };
  });
