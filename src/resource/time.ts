import {
  type GraphQLResolveInfo,
  getNamedType,
  isInterfaceType,
  isObjectType,
  type OperationDefinitionNode,
  OperationTypeNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { DateTime } from 'luxon';
import type { Context } from '../context.ts';

/** Writes down what has changed in the caller's rows without a write of theirs: by time, as a lease runs out, or by the company's settings. */
export type Settle = (context: Context, today: Date) => Promise<unknown>;

/** The calendar day it is (UTC), as Prisma has dates. */
export const today = (): Date => DateTime.utc().startOf('day').toJSDate();

/** A day as the specification writes it, from how Prisma has it. */
export const dayOf = (day: Date): string => day.toISOString().slice(0, 10);

const settlers = new Map<string, Settle>();

/** Has `settle` run before anything reads rows of a type, so that bodies, filters, sorts and counts agree on them. */
export function settleBeforeReading(type: string, settle: Settle): void {
  settlers.set(type, settle).set(`${type}Connection`, settle).set(`${type}Aggregate`, settle);
}

const asked = new WeakMap<OperationDefinitionNode, Settle[]>();
const settled = new WeakMap<Context, Map<Settle, Promise<unknown>>>();

/** Settles every type that an operation reads: once for all fields of a query, and for each of a mutation, whose last one may have changed what counts. */
export async function settleTime(context: Context, info: GraphQLResolveInfo): Promise<void> {
  const needed = asked.get(info.operation) ?? settlersOf(info);
  asked.set(info.operation, needed);
  if (info.operation.operation === OperationTypeNode.MUTATION) settled.delete(context);
  await settleAll(context, needed);
}

/** Settles types that an operation reads without its query naming them. */
export async function settleTypes(context: Context, types: readonly string[]): Promise<void> {
  await settleAll(
    context,
    types.flatMap((type) => settlers.get(type) ?? []),
  );
}

async function settleAll(context: Context, needed: readonly Settle[]): Promise<void> {
  if (needed.length === 0) return;
  const done = settled.get(context) ?? new Map<Settle, Promise<unknown>>();
  settled.set(context, done);
  for (const settle of needed) if (!done.has(settle)) done.set(settle, settle(context, today()));
  await Promise.all(needed.flatMap((settle) => done.get(settle) ?? []));
}

function settlersOf({ schema, operation, fragments }: GraphQLResolveInfo): Settle[] {
  const found = new Set<Settle>();
  const types = new TypeInfo(schema);
  // A union's fields are all asked for in fragments, so only the types that those name are read.
  const visitType = () => {
    const type = getNamedType(types.getType());
    const read = isInterfaceType(type) ? schema.getPossibleTypes(type) : isObjectType(type) ? [type] : [];
    for (const { name } of read) {
      const settle = settlers.get(name);
      if (settle) found.add(settle);
    }
  };
  const visitor = visitWithTypeInfo(types, {
    Field: visitType,
    InlineFragment: visitType,
    FragmentDefinition: visitType,
  });
  for (const node of [operation, ...Object.values(fragments)]) visit(node, visitor);
  return [...found];
}
