import { dictionary } from '@zxcvbn-ts/language-common';

const common = new Set(dictionary['passwords-common']);

/** Whether a password is one of the most common ones, with digits and signs around it or without. */
export const isCommon = (password: string): boolean => {
  const text = password.toLowerCase();
  const core = text.replace(/^[^a-z]+|[^a-z]+$/g, '');
  return common.has(text) || common.has(core) || new Set(text).size < 4;
};
