import type { FastifyRequest } from 'fastify';
import type { Caller } from './caller.ts';
import type { FileLinks, LinkHolder, LinkPurpose } from './file-links.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What links to a route are for; without it they are none of its parameters. */
    link?: LinkPurpose | undefined;
  }
}

/** What finding the caller of a link depends on. */
interface LinkDependencies {
  readonly links: FileLinks;
  /** Finds the caller that a token or session stands for now. */
  readonly find: Readonly<Record<LinkHolder['kind'], (holder: LinkHolder) => Promise<Caller | null>>>;
}

/** The signed link that a request comes by; undefined for most requests. */
export function linkOf({ routeOptions, query }: FastifyRequest): string | undefined {
  if (routeOptions.config.link === undefined) return undefined;
  // Fastify's parser makes an object of every query.
  const { link } = query as { readonly link?: unknown };
  if (link === undefined) return undefined;
  // One that is given twice is none.
  return typeof link === 'string' ? link : '';
}

/**
 * Creates the function that finds the caller of a request that comes by a signed link: who has made it, with the rights
 * that they have now.
 *
 * @returns a function that returns null for a link that is not valid here, or whose token or session has ended
 */
export const createLinkFinder =
  ({ links, find }: LinkDependencies) =>
  async (request: FastifyRequest, link: string): Promise<Caller | null> => {
    const { link: purpose = 'read' } = request.routeOptions.config;
    // Fastify's parsers make objects of these.
    const { id } = request.params as { readonly id?: string };
    const { name } = request.query as { readonly name?: unknown };
    const named = purpose === 'send' && typeof name === 'string' ? { name } : {};
    const found = await links.read(link, { purpose, ...named });
    if (!found || (purpose !== 'send' && found.id !== id?.toLowerCase())) return null;
    return find[found.holder.kind](found.holder);
  };
