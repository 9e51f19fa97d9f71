import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readConfig } from '../src/config.ts';
import { routes } from '../src/rest/routes.ts';
import { createDemo } from '../src/seed/index.ts';
import { at, fences, isValue } from './support/markdown.ts';
import { type Service, startService } from './support/service.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFile(join(root, path), 'utf8');

const documents = (await readdir(join(root, 'docs'), { recursive: true }))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
const pages = ['README.md', 'bench/README.md', ...documents];
const texts = await Promise.all(pages.map(async (page) => ({ page, text: await read(page) })));
const readme = texts[0]?.text ?? '';

describe('the README', () => {
  test('lists every variable of the configuration, and its default', async () => {
    const schema = /const environment = z\.object\(\{([^]*?)^\}\);/m.exec(await read('src/config.ts'))?.[1] ?? '';
    const variables = [...schema.matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name]) => name);
    const rows = [...readme.matchAll(/^\| `([A-Z_]+)` \| (\S+) \| .+ \|$/gm)].map(([, name = '', value = '']) => ({
      name,
      value,
    }));
    expect(rows.map(({ name }) => name)).toEqual(variables);

    const unset = readConfig({});
    for (const { name, value } of rows) {
      if (value === 'none')
        expect(Object.entries(unset)).not.toContainEqual([
          name.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
          expect.anything(),
        ]);
      // A default is true when saying it changes nothing.
      else expect({ name, config: readConfig({ [name]: value.replaceAll('`', '') }) }).toEqual({ name, config: unset });
    }
  });

  test('says how to start and how to test what package.json says', async () => {
    const { scripts } = JSON.parse(await read('package.json')) as { scripts: Record<string, string> };
    const named = texts.flatMap(({ text }) => [...text.matchAll(/npm (?:run (?:--silent )?(\w+)|(start|test))\b/g)]);
    for (const [, script, shortcut] of named) expect(Object.keys(scripts)).toContain(script ?? shortcut);
    expect(fences(readme).map(({ content }) => content)).toEqual(
      expect.arrayContaining(['npm install && npm start\n', 'npm install && npm test\n']),
    );
  });

  describe('on a service with the demo company', () => {
    let service: Service;
    let token: string;
    beforeAll(async () => {
      service = await startService();
      ({ token } = await createDemo(service.database.prisma));
    });
    afterAll(() => service.close());

    /** Runs a block as somebody who pasted it, with their token. */
    async function paste(block: string): Promise<object> {
      const { stdout } = await promisify(execFile)(
        'sh',
        ['-c', at(service.origin, block.replace('svc_live_…', token))],
        { env: { ...process.env, TOKEN: token } },
      );
      return JSON.parse(stdout) as object;
    }

    test('shows requests that answer as it says', async () => {
      const blocks = fences(/^## Try it\n([^]*?)^## /m.exec(readme)?.[1] ?? '');
      expect(blocks.length).toBeGreaterThan(6);
      for (const [index, { language, content }] of blocks.entries()) {
        if (language !== 'sh') continue;
        const answer = await paste(content);
        const next = blocks[index + 1];
        // Where it is not what the page shows, comparing them shows the difference.
        if (next?.language !== 'json')
          expect(Object.keys(answer)).toEqual(['data', expect.stringMatching(/^(meta|extensions)$/)]);
        else if (!isValue(answer, JSON.parse(next.content))) expect(answer).toEqual(JSON.parse(next.content));
      }
    });
  });
});

describe('the documents', () => {
  /** A heading as the address of its place on the page. */
  const anchor = (heading: string) =>
    heading
      .trim()
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-');
  const anchors = (text: string) => [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchor(heading));

  test.each(texts)('$page refers to nothing that is not there', async ({ page, text }) => {
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [path = '', place] = target.split('#');
      const file = path === '' ? page : relative(root, join(root, dirname(page), path));
      expect({ target, exists: existsSync(join(root, file)) }).toEqual({ target, exists: true });
      if (place !== undefined) expect(anchors(await read(file))).toContain(place);
    }
  });

  test('the architecture speaks of rooms and libraries that there are', async () => {
    const { dependencies } = JSON.parse(await read('package.json')) as { dependencies: Record<string, string> };
    const text = await read('docs/architecture.md');
    const libraries = /^## Libraries\n([^]*)$/m.exec(text)?.[1]?.matchAll(/^\| ([\w@/, -]+) \| /gm) ?? [];
    // Below the heading and its rule.
    const names = [...libraries].slice(2).flatMap(([, cell = '']) => cell.split(', '));
    expect(names.length).toBeGreaterThan(15);
    expect(Object.keys(dependencies)).toEqual(expect.arrayContaining(names));
    // The parking spaces of the example are not there.
    const places = [...text.matchAll(/`((?:src|prisma|test|bench|web)\/[\w./-]+)`/g)].map(([, place = '']) => place);
    expect(places.filter((place) => !place.includes('parking') && !existsSync(join(root, place)))).toEqual([]);
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

  test('the routes are those of the service, as `npm run routes` prints them', async () => {
    const script = join(root, 'scripts', 'routes.ts');
    const print = async (...args: string[]) =>
      (await promisify(execFile)(process.execPath, ['--import', 'tsx', script, ...args], { cwd: root })).stdout;
    // To be written again: npm run --silent routes -- --markdown > docs/routes.md
    expect(await read('docs/routes.md')).toBe(await print('--markdown'));
    const lines = (await print()).trimEnd().split('\n');
    expect(lines[0]).toMatch(/^method +path +scope +operation$/);
    expect(lines.slice(1).map((line) => line.split(/ {2,}/).slice(0, 2))).toEqual(
      routes().map(({ method, path }) => [method, path]),
    );
    expect(lines).toContainEqual(
      expect.stringMatching(/^PATCH +\/service-requests\/:id +service_requests:write +updateServiceRequest$/),
    );
  });

  test.each(texts)('$page names no path that the service does not have', ({ text }) => {
    const known = [...routes().map(({ path }) => path.replace(/:\w+/g, ':')), '/openapi.json'];
    for (const [named, path = ''] of text.matchAll(/\/(?:api\/)?v1((?:\/[\w:<>$-]+(?:\.json)?)+)/g)) {
      const shape = path.replace(/(?<=\/)(:\w+|<\w+>|\$\w+|[\da-f]{8}-[\da-f-]{27})/g, ':');
      expect({ named, known: known.includes(shape) }).toEqual({ named, known: true });
    }
  });
});
