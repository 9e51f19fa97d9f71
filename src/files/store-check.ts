import type { FileStore } from './store.ts';

/** For how long (ms) an answer holds, and how long one may take. */
const heldMs = 5000;
const answerMs = 800;

/**
 * Creates the check whether a store can be used. It asks the store now and then only, however often it is called.
 *
 * @param tell learns why it cannot be used, whenever that changes
 */
export function createStoreCheck(store: FileStore, tell: (error: unknown) => void): () => Promise<boolean> {
  let asked: Promise<boolean> | undefined;
  let wasUsable = true;
  const ask = async (): Promise<boolean> => {
    const late = new Promise<never>((_resolve, reject) => {
      setTimeout(() => reject(new Error('The store of files does not answer.')), answerMs).unref();
    });
    try {
      await Promise.race([store.check(), late]);
      wasUsable = true;
    } catch (error) {
      if (wasUsable) tell(error);
      wasUsable = false;
    }
    return wasUsable;
  };
  return () => {
    if (!asked) {
      asked = ask();
      setTimeout(() => {
        asked = undefined;
      }, heldMs).unref();
    }
    return asked;
  };
}
