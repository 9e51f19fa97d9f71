// Writes the address of each module that a process loads to stderr: node --import ./list-modules.mjs …
import { register } from 'node:module';

const hook = `
  import { writeSync } from 'node:fs';
  export function load(url, context, next) {
    writeSync(2, 'loaded ' + url + '\\n');
    return next(url, context);
  }`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
