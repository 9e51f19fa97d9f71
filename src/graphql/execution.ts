// The steps of Yoga from parsing to execution, without its HTTP layer, which took longer than those.
import { EnvelopArmorPlugin } from '@escape.tech/graphql-armor';
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  getOperationAST,
  OperationTypeNode,
  validate,
} from 'graphql';
import { createYoga, type GraphQLParams, type Plugin } from 'graphql-yoga';
import type { Context } from '../context.ts';
import { runReading } from '../database/index.ts';
import { type Api, executePlanned, Planner } from '../resource/index.ts';
import { atomicOf, executeAtomically } from './atomic.ts';
import { costPlugin, type Incoming, type Served } from './cost.ts';
import { maxErrors } from './errors.ts';
import { createInputCheck } from './input.ts';
import { findRefusals, isAboutApi, maxTokens } from './refusals.ts';

/** Limits the syntax of queries; `costPlugin` limits the size of responses. */
const armor = EnvelopArmorPlugin({
  // This cost limit ignores variables and defaults.
  costLimit: { enabled: false },
  maxDepth: { n: 12 },
  maxAliases: { n: 30 },
  maxDirectives: { n: 30 },
  maxTokens: { n: maxTokens },
  // Field names are not secret: the schema is public.
  blockFieldSuggestion: { enabled: false },
});

/** The requests for what the API says about itself. Their responses contain no secret, so they may be compressed. */
const descriptions = new WeakSet<Incoming>();

/** Whether a request was for what the API says about itself. */
export const isDescription = (incoming: Incoming): boolean => descriptions.has(incoming);

/** The requests whose query was executed. */
const executed = new WeakSet<Incoming>();

/** Checks input in place of graphql-js, for errors that name every field, and executes operations by their plans. */
function executionPlugin(schema: GraphQLSchema, api: Api): Plugin<Served<Incoming>> {
  const planner = new Planner(schema, api.reads, 'member');
  const { checkVariables, withLiterals } = createInputCheck(schema);
  return {
    onValidate({ setValidationFn }) {
      setValidationFn((...[schema, document, rules = [], options, typeInfo]: Parameters<typeof validate>) =>
        validate(schema, document, withLiterals(rules), { ...options, maxErrors }, typeInfo),
      );
    },
    onExecute({ args, setExecuteFn, setResultAndStopExecution }) {
      const { document, operationName } = args as ExecutionArgs; // Envelop's own type is any.
      if (isAboutApi(document, operationName)) descriptions.add(args.contextValue.incoming);
      const definition = nameOperation(args.contextValue.incoming, document, operationName);
      // Unlike Yoga's executor, graphql-js keeps the order of the fields in the query.
      const run = (given: ExecutionArgs) =>
        executePlanned(planner, given, args.contextValue.takesJson) ?? execute(given);
      const isQuery = definition?.operation === OperationTypeNode.QUERY;
      const errors = checkVariables(args);
      if (errors.length > 0) return setResultAndStopExecution({ errors });
      const atomic = atomicOf(args, definition);
      if (isQuery) setExecuteFn((given: ExecutionArgs) => runReading(() => run(given)));
      else if (definition && atomic)
        setExecuteFn((given: ExecutionArgs) => executeAtomically(run, given, definition, atomic, api));
      else setExecuteFn(run);
      executed.add(args.contextValue.incoming);
      return undefined;
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      const { document, operationName } = args as ExecutionArgs; // Envelop's own type is any.
      nameOperation(args.contextValue.incoming, document, operationName);
      const errors = checkVariables(args);
      if (errors.length > 0) setResultAndStopExecution({ errors });
    },
  };
}

/** The longest name of an operation that traces and the log have. */
const maxNameLength = 100;

/** Names the operation of a request for traces and the log, `query PaintList`, and returns its definition. */
function nameOperation({ operation }: Incoming, document: DocumentNode, operationName?: string | null) {
  const definition = getOperationAST(document, operationName);
  if (definition)
    operation.name = [definition.operation, definition.name?.value.slice(0, maxNameLength)].filter(Boolean).join(' ');
  return definition;
}

/** Requests as Yoga's plugins know them: by their method. Their content is passed as parameters. */
const yogaRequests = {
  GET: new Request('http://localhost/graphql'),
  POST: new Request('http://localhost/graphql', { method: 'POST' }),
};

/** Runs operations for requests. */
type RunFor<Request> = (params: GraphQLParams, incoming: Request, takesJson?: boolean) => Promise<ExecutionResult>;

/**
 * Creates what runs operations of a schema.
 *
 * @param contextOf what the resolvers of a request get
 * @param plugins further steps
 */
export function createRunner<Request extends Incoming & { readonly method: string }>(
  schema: GraphQLSchema,
  api: Api,
  contextOf: (incoming: Request) => Context,
  plugins: readonly Plugin<Served<Request>>[] = [],
): RunFor<Request> {
  const yoga = createYoga<Served<Request>>({
    schema,
    landingPage: false,
    batching: false,
    cors: false,
    logging: false,
    multipart: false,
    maskedErrors: false,
    graphiql: false,
    context: ({ incoming }) => contextOf(incoming),
    plugins: [armor, executionPlugin(schema, api), costPlugin, ...plugins],
  });
  return async (params, incoming, takesJson = false) => {
    const request = yogaRequests[incoming.method === 'POST' ? 'POST' : 'GET'];
    // Without @defer and @stream, a result is a single one.
    const result = (await yoga.getResultForParams({ params, request }, { incoming, takesJson })) as ExecutionResult;
    if (executed.has(incoming)) return result;
    // A caller without access does not learn what else is wrong.
    const errors = findRefusals(schema, params, incoming.caller);
    return errors.length > 0 ? { ...result, errors } : result;
  };
}
