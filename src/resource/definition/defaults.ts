import type { Context } from '../../context.ts';
import { callerId } from '../../context.ts';

/** The default of columns such as `createdBy`: the caller. */
export const currentUser = ({ context }: { readonly context: Context }): string => callerId(context);
