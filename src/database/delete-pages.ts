/** How many rows one statement deletes at most, so that it ends in time and locks none for long. */
const pageSize = 1000;

/**
 * Deletes rows by statements that each delete a page of them.
 *
 * @param deletePage deletes up to so many rows, found on an index. @returns how many
 * @param isStopped whether to leave the rest to the next time
 */
export async function deletePages(
  deletePage: (size: number) => Promise<number>,
  isStopped: () => boolean = () => false,
): Promise<void> {
  for (let count = pageSize; count === pageSize && !isStopped(); ) count = await deletePage(pageSize);
}
