// The image of the Dockerfile, and the release in it.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { canBuild, Image } from '../support/image.ts';
import { freePort, killAll, ServiceProcess } from '../support/process.ts';

const root = join(import.meta.dirname, '..', '..');
const withNamespaces = canBuild ? describe : describe.skip;

withNamespaces('the image', () => {
  let context: string;
  let image: Image;
  beforeAll(() => {
    context = mkdtempSync(join(tmpdir(), 'premises-context-'));
    const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: root });
    for (const file of String(files).split('\0').filter(Boolean))
      cpSync(join(root, file), join(context, file), { recursive: true });
    image = Image.build(join(root, 'Dockerfile'), context);
  });
  afterAll(async () => {
    await killAll();
    image?.delete();
    rmSync(context, { recursive: true, force: true });
  });

  test('it starts without packages but those with machine code, as another user than root, on a disk that it cannot write', async () => {
    expect(image.run(['ls', '/app/node_modules']).stdout).toBe(
      '@img\n@napi-rs\ndetect-libc\nnode-readable-to-web-readable-stream\npdfjs-dist\nsemver\nsharp\n',
    );
    const formats = image.run(['node', '--print', "Object.keys(require('sharp').format).includes('webp')"]);
    expect([formats.stdout, formats.stderr]).toEqual(['true\n', '']);
    expect(image.run(['id', '--user', '--name']).stdout).toBe('node\n');
    expect(image.run(['touch', '/app/file']).stderr).toContain('Read-only file system');
    const env = { PORT: String(await freePort()) };
    expect(image.isHealthy(env)).toBe(false);

    const service = await ServiceProcess.start(env, image.command());
    await service.ready();
    await service.ready({ greeting: true });
    expect(image.isHealthy(env)).toBe(true);
    const { token } = service;
    const list = await service.client().get('/service-requests?limit=3');
    expect([list.status, list.rows.length]).toEqual([200, 3]);
    const page = await fetch(`${service.origin}/sign-in`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await service.stop()).toBe(0);

    // The volume keeps the database.
    const again = await ServiceProcess.start(env, image.command());
    await again.ready();
    expect((await again.client(token).get('/service-requests')).status).toBe(200);
    expect(await again.stop()).toBe(0);
  });

  test('its command line works', () => {
    const { stdout, stderr, status } = image.run(['node', 'dist/cli.js', 'user', 'list', '--company', 'demo']);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('nora.lindqvist@demo.test');
  });

  test('the list of its parts is valid CycloneDX, with the version and digest of the lock file for each', async () => {
    const text = image.run(['cat', 'sbom.json']).stdout;
    expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text)).toBeNull();
    const { components } = JSON.parse(text) as {
      components: { name: string; group?: string; version: string; hashes: { content: string }[] }[];
    };
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { version: string; integrity?: string }>;
    };
    const locked = new Set(
      Object.entries(packages).map(([path, { version, integrity = '' }]) => {
        const name = path.split('node_modules/').at(-1);
        return `${name} ${version} ${Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex')}`;
      }),
    );
    const listed = components.map(
      ({ group, name, version, hashes }) => `${group ? `${group}/` : ''}${name} ${version} ${hashes[0]?.content}`,
    );
    expect(listed.filter((each) => !locked.has(each))).toEqual([]);
    // Of the service, its database, its migrations, and the pages.
    for (const name of [
      'fastify',
      'graphql',
      'pg',
      '@electric-sql/pglite',
      '@prisma/schema-engine-wasm',
      'react-dom',
      'pdfjs-dist',
      'sharp',
    ])
      expect(listed).toContainEqual(expect.stringMatching(new RegExp(`^${name} `)));
    expect(listed.filter((each) => /^(esbuild|jest|typescript|vite) /.test(each))).toEqual([]);
  });
});
