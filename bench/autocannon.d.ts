/** The part of autocannon that the benchmark uses; the package has no types of its own. */
declare module 'autocannon' {
  import type { EventEmitter } from 'node:events';

  export interface Request {
    method: 'GET' | 'POST' | 'PATCH';
    path: string;
    headers?: Record<string, string>;
    body?: string;
  }

  export interface Options {
    url: string;
    connections: number;
    /** Seconds. */
    duration: number;
    /** Milliseconds between samples. */
    sampleInt: number;
    /** Each connection sends these over and over, in this order. */
    requests: Request[];
    /** Responses for which it returns false are counted as mismatches. */
    verifyBody?: (body: string) => boolean;
    /** Called with every connection before its first request. */
    setupClient?: (client: { setRequests(requests: Request[]): void }) => void;
  }

  export interface Result {
    errors: number;
    mismatches: number;
    non2xx: number;
    /** Seconds. */
    duration: number;
  }

  export default function autocannon(
    options: Options,
    done: (error: Error | null, result: Result) => void,
  ): EventEmitter;
}
