import type { FastifyRequest } from 'fastify';
import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  Kind,
  print,
  visit,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { badRequest } from '../errors.ts';
import type { Guarded } from '../resource/index.ts';
import { ChangeSource } from '../schema/changes/change-source.ts';
import type { Subscription } from './change-events.ts';
import { asksForCost, checkCost, type Served } from './cost.ts';

/** Maximum number of events that are computed at once. */
const maxBatch = 50;

/** The requests for subscriptions that passed all checks. */
const subscriptions = new WeakMap<FastifyRequest, Subscription>();

/** The subscription of a request, if it is one and passed all checks but that of access. */
export const subscriptionOf = (request: FastifyRequest): Subscription | undefined => subscriptions.get(request);

/** Checks a subscription and remembers it for its request; `LogStreams` runs it. */
export const subscriptionPlugin: Plugin<Served> = {
  onSubscribe({ args, setSubscribeFn }) {
    setSubscribeFn(async (): Promise<ExecutionResult> => {
      const subscription = await readSubscription(args, asksForCost(args.contextValue.incoming));
      if (!('source' in subscription)) return subscription;
      subscriptions.set(args.contextValue.incoming, subscription);
      return { data: null };
    });
  },
};

async function readSubscription(args: ExecutionArgs, costOnly: boolean): Promise<Subscription | ExecutionResult> {
  const { schema, document, operationName, variableValues } = args;
  const operation = getOperationAST(document, operationName);
  const [field, ...others] = operation?.selectionSet.selections ?? [];
  if (field?.kind !== Kind.FIELD || others.length > 0 || field.directives?.length)
    return { errors: [badRequest('A subscription must have one root field, without fragments or directives.')] };
  const definition = schema.getSubscriptionType()?.getFields()[field.name.value];
  try {
    const { cost, tooLarge } = checkCost(args);
    if (tooLarge) return { errors: [tooLarge], extensions: { cost } };
    if (costOnly) return { data: null, extensions: { cost } };
    const source = await createSourceEventStream(args);
    // Every subscription of the schema is a ChangeSource, so anything else is a result with errors.
    if (!(source instanceof ChangeSource)) return source as ExecutionResult;
    return {
      schema,
      document,
      operationName,
      variableValues,
      source,
      key: keyOf(args),
      // The kit sets them.
      guarded: definition?.extensions as unknown as Guarded,
      batchSize: Math.max(1, Math.min(maxBatch, Math.floor(cost.limit / cost.counted))),
    };
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error] };
    throw error;
  }
}

/**
 * A variable that is used only for `after` does not change events, so clients that continue from different positions
 * share them.
 */
function keyOf({ document, operationName, variableValues }: ExecutionArgs): string {
  const uses = new Map<string, number>();
  const positions = new Set<string>();
  visit(document, {
    Variable: ({ name: { value } }) => void uses.set(value, (uses.get(value) ?? 0) + 1),
    OperationDefinition: ({ selectionSet: { selections } }) => {
      for (const selection of selections)
        if (selection.kind === Kind.FIELD)
          for (const { name, value } of selection.arguments ?? [])
            if (name.value === 'after' && value.kind === Kind.VARIABLE) positions.add(value.name.value);
    },
  });
  // Its definition and its one use.
  const matters = ([name]: [string, unknown]) => !(positions.has(name) && uses.get(name) === 2);
  return JSON.stringify([print(document), operationName, Object.entries(variableValues ?? {}).filter(matters)]);
}
