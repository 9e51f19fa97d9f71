import type { GraphQLSchema } from 'graphql';
import { validateName } from '../../auth/accounts.ts';
import type { Context } from '../../context.ts';
import { type FieldErrors, validationError } from '../../errors.ts';
import { findAddressProblem } from '../../http/post.ts';
import { messages } from '../../input/index.ts';
import { type Api, lengthOf, rules } from '../../resource/index.ts';
import type { LoggedType } from '../changes/change-view.ts';
import { compileFilter } from './filter.ts';
import { readSelection } from './selection.ts';

/** The value of `CreateWebhookInput` or, each field optional, `UpdateWebhookInput`. */
interface WebhookInput {
  readonly name: string;
  /** Undefined if it remains as it is. */
  readonly url?: string;
  readonly resources?: readonly string[] | null;
  readonly actions?: readonly string[] | null;
  readonly filter?: string | null;
  readonly selection?: string | null;
}

/** What a webhook is checked with. */
interface Checked {
  readonly types: readonly LoggedType[];
  readonly api: Pick<Api, 'resources' | 'filterableOf'>;
  readonly schema: GraphQLSchema;
  readonly context: Context;
}

/** @throws ServiceError VALIDATION_ERROR naming every wrong field */
export function assertValid(input: WebhookInput, { types, api, schema, context }: Checked): void {
  const { name, url, resources, filter, selection } = input;
  const [type, ...others] = types.filter((each) => resources?.includes(each.type));
  const ofOne = <Read extends object>(read: (type: LoggedType) => Read | { readonly problem: string }) => {
    const result = type && others.length === 0 ? read(type) : { problem: 'requires one resource' };
    return 'problem' in result ? result.problem : undefined;
  };
  const problems = {
    name: validateName(name),
    url: url === undefined ? undefined : checkUrl(url, context),
    filter: filter == null ? undefined : ofOne((one) => compileFilter(filter, one, schema, api, context)),
    selection: selection == null ? undefined : ofOne((one) => readSelection(selection, one, schema)),
  };
  const errors: FieldErrors = {};
  for (const [field, problem] of Object.entries(problems)) if (problem !== undefined) errors[field] = problem;
  if (Object.keys(errors).length > 0) throw validationError(errors);
}

const { maxLength: maxUrlLength = 0 } = lengthOf('Webhook', 'url');

function checkUrl(text: string, { webhookHosts = [] }: Context): string | undefined {
  if (text.length > maxUrlLength) return `must be at most ${maxUrlLength} characters`;
  if (!URL.canParse(text) || rules.url(text) !== undefined) return messages.url;
  const url = new URL(text);
  if (url.username || url.password) return 'must not contain a password';
  return findAddressProblem(url, webhookHosts);
}
