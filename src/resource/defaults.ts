import type { Context } from '../context.ts';
import { callerId } from '../context.ts';

/** The default of a column that names who did something: whoever calls. */
export const currentUser = ({ context }: { readonly context: Context }): string => callerId(context);
