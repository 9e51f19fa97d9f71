// Locks and unlocks folders on messages of the parent process, and reports the result.
import { lockFolder } from '../../src/database/lock.ts';

let release = async () => {};
process.on('message', async ({ take, give }: { take?: string; give?: boolean }) => {
  if (take !== undefined) {
    try {
      release = await lockFolder(take);
      process.send?.('taken');
    } catch (error) {
      process.send?.(String(error));
    }
  }
  if (give) {
    await release();
    process.send?.('given');
  }
});
process.send?.('ready');
