import { queryOptions } from '@tanstack/react-query';
import { SimilarRequestsDocument, type SimilarRequestsQuery } from '../../api/generated/graphql.ts';
import { execute } from '../../api/graphql.ts';
import { openStatuses } from '../requests/search.ts';

export type SimilarRequest = NonNullable<SimilarRequestsQuery['serviceRequests']>['nodes'][number];

/** The fewest letters of a word that says something, and how many words requests are searched by. */
const minLetters = 4;
const maxWords = 6;
/** How many requests are shown. */
const shownRows = 3;

/** The words of a text that requests are searched by. */
export const wordsOf = (text: string): readonly string[] =>
  [...new Set(text.toLocaleLowerCase().match(/[\p{L}\p{N}]+/gu))]
    .filter((word) => word.length >= minLetters)
    .slice(0, maxWords);

/** Open requests of a building that share words with a text, those with most of them first. */
export const similarQuery = (buildingId: string | null, text: string) => {
  const words = wordsOf(text);
  return queryOptions({
    queryKey: ['similar', buildingId, words],
    queryFn: async (): Promise<readonly SimilarRequest[]> => {
      const { nodes } = (
        await execute(SimilarRequestsDocument, {
          filter: {
            buildingId: { eq: buildingId },
            status: { in: [...openStatuses] },
            or: words.map((word) => ({ title: { contains: word } })),
          },
        })
      ).serviceRequests;
      const rank = ({ title }: SimilarRequest) =>
        words.filter((word) => title.toLocaleLowerCase().includes(word)).length;
      return nodes.toSorted((one, other) => rank(other) - rank(one)).slice(0, shownRows);
    },
    enabled: buildingId !== null && words.length > 0,
    placeholderData: (previous) => (words.length > 0 ? previous : undefined),
  });
};
