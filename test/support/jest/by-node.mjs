import { pathToFileURL } from 'node:url';

/** Makes of a module one that exports the same, as Node itself loaded it. See environment.mjs. */
export default {
  async processAsync(_source, path) {
    const { href } = pathToFileURL(path);
    const names = Object.keys(await import(href));
    const exported = names.map((name) =>
      name === 'default' ? 'export default module.default;' : `export const ${name} = module.${name};`,
    );
    return { code: [`const module = await loadByNode(${JSON.stringify(href)});`, ...exported].join('\n') };
  },
};
