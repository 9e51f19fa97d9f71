import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { rolesAsMarkdown } from '../scripts/roles-table.ts';
import { routesAsMarkdown, routesAsText } from '../scripts/routes-table.ts';
import { scopesAsMarkdown } from '../scripts/scopes-table.ts';
import { environment, readConfig } from '../src/config.ts';
import { fileRoutes, routes } from './support/api.ts';
import { fences } from './support/markdown.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFile(join(root, path), 'utf8');

const documents = (await readdir(join(root, 'docs'), { recursive: true }))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'bench/README.md',
  'web/README.md',
  ...documents,
];
const texts = await Promise.all(pages.map(async (page) => ({ page, text: await read(page) })));
const readme = texts[0]?.text ?? '';

/** The environment variables that src/config.ts reads, in its order. */
async function configVariables(): Promise<string[]> {
  const schema = /const environment = z\.object\(\{([^]*?)^\}\);/m.exec(await read('src/config.ts'))?.[1] ?? '';
  return [...schema.matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name = '']) => name);
}

/** The files below a directory, without generated code, packages and pictures. */
async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(join(root, directory), { recursive: true, withFileTypes: true });
  return entries
    .filter(
      (entry) =>
        entry.isFile() && !/\.png$/.test(entry.name) && !/\/(generated|dist|node_modules)(\/|$)/.test(entry.parentPath),
    )
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

/** The inline code of a page, outside of its blocks. */
const inlineCode = (text: string) =>
  [...text.replace(/^```[^]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);

test.each(texts)('$page has no marks of an unfinished merge', ({ text }) => {
  expect(text).not.toMatch(/^(<{7}|={7}|>{7})( |$)/m);
});

test('the changelog has each entry once', async () => {
  const entries = (await read('CHANGELOG.md')).split(/\n(?=- |#)/).filter((part) => part.startsWith('- '));
  expect(entries.length).toBeGreaterThan(100);
  expect(entries.filter((entry, index) => entries.indexOf(entry) !== index)).toEqual([]);
});

describe('the README', () => {
  test('lists every variable of the configuration with its default', async () => {
    const rows = [...readme.matchAll(/^\| `([A-Z_]+)` \| (\S+) \| .+ \|$/gm)].map(([, name = '', value = '']) => ({
      name,
      value,
    }));
    expect(rows.map(({ name }) => name)).toEqual(await configVariables());

    const unset = readConfig({});
    const defaults: Record<string, unknown> = environment.parse({});
    for (const { name, value } of rows) {
      if (value === 'none') {
        expect({ name, value: defaults[name] }).toEqual({ name, value: undefined });
        // Nor has `readConfig` a default of its own, as for PUBLIC_URL.
        const key = name.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
        expect(Object.entries(unset)).not.toContainEqual([key, expect.anything()]);
      }
      // A documented default is right if setting it changes nothing.
      else expect({ name, config: readConfig({ [name]: value.replaceAll('`', '') }) }).toEqual({ name, config: unset });
    }
  });

  test('describes how to start and how to test', () => {
    expect(fences(readme).map(({ content }) => content)).toEqual(
      expect.arrayContaining(['npm install && npm start\n', 'npm install && npm test\n']),
    );
  });
});

describe('the documents', () => {
  /** The anchor of a heading. */
  const anchor = (heading: string) =>
    heading
      .trim()
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-');
  const anchors = (text: string) => [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchor(heading));

  test.each(texts)('$page has no broken links', async ({ page, text }) => {
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [path = '', place] = target.split('#');
      const file = path === '' ? page : relative(root, join(root, dirname(page), path));
      expect({ target, exists: existsSync(join(root, file)) }).toEqual({ target, exists: true });
      if (place !== undefined) expect(anchors(await read(file))).toContain(place);
    }
  });

  test.each(texts)('$page names paths of the repository that exist', ({ text }) => {
    const paths = inlineCode(text).filter((code) =>
      /^((src|prisma|test|bench|web|docs|scripts|\.ci)\/[\w./-]*|[\w.-]+\.(md|graphql|json|yaml|js|mjs))$/.test(code),
    );
    // `parking…` belongs to an example of what one could add; the tutorials name the reader's own files, and others are
    // of what the service writes.
    const others = ['tsconfig.json', 'openapi.json', 'archive.json'];
    const missing = paths.filter((path) => !path.includes('parking') && !existsSync(join(root, path)));
    expect(missing.filter((path) => !others.includes(path))).toEqual([]);
  });

  test.each(texts)('$page names npm scripts that exist', async ({ text }) => {
    const { scripts } = JSON.parse(await read('package.json')) as { scripts: Record<string, string> };
    const named = [...text.matchAll(/\bnpm (?:run (?:--silent )?([\w:-]+)|(start|test)\b)/g)];
    for (const [, script, shortcut] of named) expect(Object.keys(scripts)).toContain(script ?? shortcut);
  });

  test('name environment variables and constants that exist', async () => {
    const variables = await configVariables();
    const code = await Promise.all(
      (await Promise.all(['src', 'test', 'scripts', 'bench'].map(filesBelow))).flat().map(read),
    );
    const words = new Set(
      [...code, await read('schema.graphql')].flatMap((text) => text.match(/\b[A-Z][A-Z\d_]+\b/g) ?? []),
    );
    for (const { page, text } of texts) {
      for (const name of inlineCode(text).filter((each) => /^[A-Z]+(_[A-Z]+)+$/.test(each)))
        expect({ page, name, exists: words.has(name) }).toEqual({ page, name, exists: true });
      // What a command or a file of settings sets for the service.
      const settings = fences(text)
        .filter(({ language }) => language === 'sh' || language === 'ini')
        .flatMap(({ language, content }) =>
          content.split('\n').filter((line) => language === 'ini' || /\bnpm /.test(line)),
        )
        .flatMap((line) => [...line.matchAll(/(?:^|\s)([A-Z]+(?:_[A-Z]+)+)=/g)].map(([, name = '']) => name));
      expect(variables).toEqual(expect.arrayContaining(settings));
    }
  });

  test('cite nothing outside the repository', async () => {
    const directories = ['src', 'test', 'prisma', 'scripts', 'bench'];
    const paths = [
      'eslint.config.js',
      'redocly.yaml',
      'spectral.yaml',
      ...(await Promise.all(directories.map(filesBelow))).flat(),
    ];
    const files = await Promise.all(paths.map(async (page) => ({ page, text: await read(page) })));
    // Escaped, as this file is one of them.
    const citation = /\u00a7|\b(?:the|this) spec(?:ification)?\b|\bdecisions, [A-Z]/gi;
    for (const { page, text } of [...texts, ...files])
      expect({ page, cited: text.match(citation) }).toEqual({ page, cited: null });
  });

  test('the table of libraries lists packages that are installed', async () => {
    const { dependencies, devDependencies } = JSON.parse(await read('package.json')) as Record<
      'dependencies' | 'devDependencies',
      Record<string, string>
    >;
    const text = await read('docs/libraries.md');
    const libraries = /^## Libraries\n([^]*)$/m.exec(text)?.[1]?.matchAll(/^\| ([\w@/, -]+) \| /gm) ?? [];
    // Without the heading and its rule.
    const names = [...libraries].slice(2).flatMap(([, cell = '']) => cell.split(', '));
    expect(names.length).toBeGreaterThan(15);
    expect(Object.keys({ ...dependencies, ...devDependencies })).toEqual(expect.arrayContaining(names));
  });

  test('the tutorials install exact versions, and those that are used here', async () => {
    const { dependencies, devDependencies } = JSON.parse(await read('package.json')) as Record<
      string,
      Record<string, string>
    >;
    const commands = texts
      .filter(({ page }) => page.startsWith('docs/tutorials/'))
      .flatMap(({ text }) => [...text.matchAll(/^(npm install|npx --yes) (.*)$/gm)]);
    const packages = commands.flatMap(([, command, rest = '']) =>
      rest
        .split(' ')
        .filter((word) => !word.startsWith('-'))
        .slice(0, command === 'npm install' ? undefined : 1),
    );
    expect(packages.length).toBeGreaterThan(5);
    for (const each of packages) {
      const [, name = '', version] = /^(.+)@(\d+\.\d+\.\d+)$/.exec(each) ?? [];
      expect({ each, version }).toEqual({
        each,
        version: dependencies?.[name] ?? devDependencies?.[name] ?? expect.any(String),
      });
    }
  });

  test('docs/routes.md is what `npm run generate` writes', async () => {
    expect(await read('docs/routes.md')).toBe(routesAsMarkdown());
    const lines = routesAsText().split('\n');
    expect(lines[0]).toMatch(/^method +path +scope +operation$/);
    expect(lines.slice(1).map((line) => line.split(/ {2,}/).slice(0, 2))).toEqual(
      [...routes(), ...fileRoutes()].map(({ method, path }) => [method, path]),
    );
    expect(lines).toContainEqual(
      expect.stringMatching(/^PATCH +\/service-requests\/:id +service_requests:write +updateServiceRequest$/),
    );
  });

  test('the table of scope groups is what `npm run generate` writes', async () => {
    expect(await read('docs/api/authentication.md')).toContain(`\n\n${scopesAsMarkdown()}\n\n`);
  });

  test('docs/roles.md is what `npm run generate` writes', async () => {
    expect(await read('docs/roles.md')).toBe(rolesAsMarkdown());
  });

  test.each(texts)('$page names only paths that the service has', ({ text }) => {
    const known = [...[...routes(), ...fileRoutes()].map(({ path }) => path.replace(/:\w+/g, ':')), '/openapi.json'];
    for (const [named, path = ''] of text.matchAll(/\/(?:api\/)?v1((?:\/[\w:<>$-]+(?:\.json)?)+)/g)) {
      const shape = path.replace(/(?<=\/)(:\w+|<\w+>|\$\w+|[\da-f]{8}-[\da-f-]{27})/g, ':');
      expect({ named, known: known.includes(shape) }).toEqual({ named, known: true });
    }
  });
});
