import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { recordFile } from '../../../scripts/build-state.mjs';
import { compiledUrl } from './compiled.mjs';

/** What was compiled: the exports of a module depend on the modules that it exports from too. */
const build = readFileSync(recordFile);

/** Makes of a module one that exports the same, as Node itself loaded it. See environment.mjs. */
export default {
  async processAsync(_source, path) {
    const href = compiledUrl(path);
    const names = Object.keys(await import(href));
    const exported = names.map((name) =>
      name === 'default' ? 'export default module.default;' : `export const ${name} = module.${name};`,
    );
    return { code: [`const module = await loadByNode(${JSON.stringify(href)});`, ...exported].join('\n') };
  },
  getCacheKey: (_source, path) => createHash('sha256').update(build).update(path).digest('hex'),
};
