import type { Span } from './span.ts';

/**
 * What a request asks for, or work that was queued: what it is called and what it uses, for its trace and for the log
 * of slow operations. Statements find that of the work that sends them; see `database/requester.ts`.
 */
export class Operation {
  /** What it is called in GraphQL; a route has a name already. */
  name: string | undefined;
  /** The text of its GraphQL document. */
  document: string | undefined;
  /** The number of its statements, and the time (ms) of all of them together: some may have run at once. */
  statements = 0;
  statementMs = 0;

  /**
   * @param span what it is in a trace; undefined where nothing is traced
   * @param traceId the trace that it belongs to, which may be one of the client alone
   */
  constructor(
    public span?: Span,
    readonly traceId: string | undefined = span?.traceId,
  ) {}

  /** What its lines of the log have. */
  get logged(): { readonly trace_id?: string } {
    return this.traceId === undefined ? {} : { trace_id: this.traceId };
  }

  /** Counts a statement. @returns what is called when it has ended */
  beginStatement(text: string): (error?: unknown) => void {
    const span = this.span?.startStatement(text);
    const startedAt = performance.now();
    this.statements += 1;
    return (error) => {
      this.statementMs += performance.now() - startedAt;
      span?.end(error);
    };
  }
}
