import type { Readable } from 'node:stream';
import type { LinkPurpose } from '../../auth/file-links.ts';
import type { Context } from '../../context.ts';
import type { Registry } from '../registry/registry.ts';
import type { Operation } from './operation.ts';
import { noPolicies } from './policy.ts';
import { type GivenWords, wordsOf } from './words.ts';

/** A file that is sent to a client. */
export interface SentFile {
  /** Its media type. */
  readonly type: string;
  readonly name: string;
  readonly content: AsyncIterable<Buffer | string> | string | StoredContent;
  /** Whether a browser may show it, rather than store it: on any host, on that of FILES_ORIGIN, or never. */
  readonly isInline?: boolean | 'apart';
}

/** The content of a file that never changes, of which clients can get parts. */
export interface StoredContent {
  /** How many bytes it has. */
  readonly size: number;
  /** Its ETag, without quotes. */
  readonly etag: string;
  /** Reads all of it, or the bytes from `start` to `end`, both included. */
  readonly read: (range?: { readonly start: number; readonly end: number }) => Promise<Readable>;
  /** Makes the address, for a minute, at which the store itself sends it; undefined where the service does. */
  readonly redirect?:
    | ((answer: { readonly type: string; readonly disposition: string }) => Promise<string>)
    | undefined;
}

/** What a request about a file says. */
export interface FileRequest {
  /** The variables of its path. */
  readonly path: Readonly<Record<string, string>>;
  /** Its parameters: those that the operation has. */
  readonly query: Readonly<Record<string, string>>;
  /** Which of the media types of the file the client prefers. */
  readonly mediaType: string;
}

/** A parameter in the query of a route of files. */
export interface FileParameter {
  readonly name: string;
  readonly description: string;
  readonly required?: boolean;
  /** The values that it may have; any by default. */
  readonly values?: readonly string[];
  readonly maxLength?: number;
}

/** A request with a file. */
export interface ReceivedFile extends FileRequest {
  readonly body: AsyncIterable<Buffer>;
  /** How many bytes it may have. */
  readonly maxBytes: number;
  /** The type of its rows, where it came to the route of their many writes. */
  readonly rowsOf?: string | undefined;
  /** Its name in a form; undefined for one that is the body itself. */
  readonly name?: string | undefined;
}

/** A file that is being sent in parts, or has arrived. */
export interface ResumableUpload {
  readonly id: string;
  /** How many bytes it has, and how many of them have arrived. */
  readonly length: number;
  readonly received: number;
  /** What its sender says of it, in the form of the protocol. */
  readonly metadata: string;
  readonly createdAt: Date;
}

/** What a request for an upload that another request has does. */
export interface LockOptions {
  /** Whether it makes the other one end, and waits for it. */
  readonly waits: boolean;
  /** Called when the request should end, as another one waits for the upload or has it. */
  readonly onAwaited: () => void;
}

/** The uploads of a caller, as one request of the tus protocol uses them. */
export interface ResumableUploads {
  /** For how long (ms) an upload is kept that does not end. */
  readonly keptMs: number;
  /** The address of an upload, below the prefix of all routes. */
  addressOf(id: string): string;
  /** Begins an upload, which the request then has locked. @throws ServiceError */
  create(upload: Pick<ResumableUpload, 'id' | 'length' | 'metadata'> & { readonly name?: string }): Promise<void>;
  /** Locks an upload for the request. @throws ServiceError LOCKED while another one has it */
  lock(id: string, options: LockOptions): Promise<void>;
  unlock(id: string): Promise<void>;
  /** Finds an upload, also once it has arrived. @throws ServiceError NOT_FOUND */
  find(id: string): Promise<ResumableUpload>;
  /** Adds what comes to a locked upload; the last part makes it a file. @returns how much has arrived then */
  append(id: string, body: AsyncIterable<Buffer>): Promise<number>;
  /** Ends a locked upload. @throws ServiceError NOT_FOUND, or CONFLICT once it has arrived */
  remove(id: string): Promise<void>;
}

/** What says how many bytes a file may have: MAX_FILE_BYTES, MAX_IMPORT_BYTES, or the limit of images. */
export type FileLimit = 'file' | 'import' | 'image';

/** What is done to an upload: it is begun, looked up, continued or ended. */
export type ResumeMethod = 'POST' | 'HEAD' | 'PATCH' | 'DELETE';

/** What a route of files does. */
type Does =
  | {
      /** It receives a file, with PUT. */
      readonly does: 'receive';
      readonly limit: FileLimit;
      /** Takes the file. @throws ServiceError PAYLOAD_TOO_LARGE for more than `maxBytes` */
      readonly run: (request: ReceivedFile, context: Context, registry: Registry) => Promise<void>;
    }
  | {
      /** It adds a file, with POST: as the body, or in a form. */
      readonly does: 'add';
      readonly limit: FileLimit;
      /** The operation that answers with what was added, by its field; it takes the id, or what else its path has. */
      readonly answer: string;
      /** Whether the routes of many writes take NDJSON for it, too. */
      readonly takesRows?: boolean;
      /** Adds the file. @returns its id @throws ServiceError PAYLOAD_TOO_LARGE for more than `maxBytes` */
      readonly run: (request: ReceivedFile, context: Context, registry: Registry) => Promise<string>;
    }
  | {
      /** It sends a file, with GET. */
      readonly does: 'send';
      /** Whether its content is stored, so that clients can get parts of it and know its version. */
      readonly hasParts?: boolean;
      readonly run: (request: FileRequest, context: Context, registry: Registry) => Promise<SentFile>;
    }
  | {
      /** It sends a file in parts, which can be resumed, by the tus protocol. */
      readonly does: 'resume';
      readonly method: ResumeMethod;
      /** Opens the uploads of the caller. */
      readonly open: (request: Pick<ReceivedFile, 'query' | 'maxBytes'>, context: Context) => ResumableUploads;
    }
  | {
      /** It puts a stored file somewhere, with PUT and without a body, or removes one, with DELETE. */
      readonly does: 'put' | 'remove';
      readonly run: (request: FileRequest, context: Context, registry: Registry) => Promise<void>;
    };

/** A route of REST whose body or response is a file, which GraphQL does not have. */
export type FileOperation = Pick<Operation, 'field' | 'path' | 'access' | 'type' | 'tag'> & {
  readonly description: string;
  /** What people call what it is of. */
  readonly words?: GivenWords;
  readonly parameters?: readonly FileParameter[];
  /** The variables of its path that are no ids. */
  readonly texts?: readonly string[];
  /** The media types of the file; none where it is not part of the request or the response. */
  readonly mediaTypes: readonly string[];
  /** What signed links to it are for, whose parameter is then one of its own. */
  readonly link?: LinkPurpose;
} & Does;

/** A route of files as it is served: an operation of no rows. */
export type ServedFile = { readonly operation: Operation } & Pick<
  FileOperation,
  'description' | 'parameters' | 'mediaTypes' | 'link' | 'texts'
> &
  (
    | {
        readonly does: 'receive';
        readonly limit: FileLimit;
        readonly run: (request: ReceivedFile, context: Context) => Promise<void>;
      }
    | {
        readonly does: 'add';
        readonly limit: FileLimit;
        readonly answer: string;
        readonly takesRows: boolean;
        readonly run: (request: ReceivedFile, context: Context) => Promise<string>;
      }
    | {
        readonly does: 'send';
        readonly hasParts: boolean;
        readonly run: (request: FileRequest, context: Context) => Promise<SentFile>;
      }
    | Extract<Does, { readonly does: 'resume' }>
    | { readonly does: 'put' | 'remove'; readonly run: (request: FileRequest, context: Context) => Promise<void> }
  );

const actions = { receive: 'replace', put: 'replace', add: 'create', send: 'read', remove: 'delete' } as const;
const resumeActions = { POST: 'create', HEAD: 'read', PATCH: 'update', DELETE: 'delete' } as const;

/** The parameter of routes with signed links. */
const linkParameter: FileParameter = {
  name: 'link',
  description: 'Signature of a link, in place of a token or a session.',
  maxLength: 200,
};

/** A route of files, with what its requests look up. */
export function serveFile(file: FileOperation, registry: Registry): ServedFile {
  const { field, path, access, type, tag, description, words, mediaTypes, link, texts } = file;
  const parameters = link ? [...(file.parameters ?? []), linkParameter] : file.parameters;
  const operation: Operation = {
    ...{ field, path, access, type, tag, policies: noPolicies, words: wordsOf(type, words) },
    kind: file.does === 'send' ? 'Query' : 'Mutation',
    action: file.does === 'resume' ? resumeActions[file.method] : actions[file.does],
  };
  const served = { operation, description, parameters, mediaTypes, link, texts };
  switch (file.does) {
    case 'receive': {
      const { limit } = file;
      return { ...served, does: 'receive', limit, run: (request, context) => file.run(request, context, registry) };
    }
    case 'add': {
      const { limit, answer, takesRows = false } = file;
      const given = { limit, answer, takesRows };
      return { ...served, does: 'add', ...given, run: (request, context) => file.run(request, context, registry) };
    }
    case 'send': {
      const { hasParts = false } = file;
      return { ...served, does: 'send', hasParts, run: (request, context) => file.run(request, context, registry) };
    }
    case 'resume': {
      const { method, open } = file;
      return { ...served, does: 'resume', method, open };
    }
    default:
      return { ...served, does: file.does, run: (request, context) => file.run(request, context, registry) };
  }
}
