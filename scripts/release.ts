// Puts a release into release/: what the service needs to run, and nothing to install.
//   npm run release
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Contrib, Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import parseLicense from 'spdx-expression-parse';
import manifest from '../package.json' with { type: 'json' };
import lock from '../package-lock.json' with { type: 'json' };
import { readPackages } from './packages.mjs';

const root = join(import.meta.dirname, '..');
const release = join(root, 'release');

rmSync(release, { recursive: true, force: true });
for (const part of ['dist', 'web/dist', 'prisma/migrations', 'prisma/schema', 'CHANGELOG.md'])
  cpSync(join(root, part), join(release, part), { recursive: true });
for (const bundle of ['dist', 'web/dist']) rmSync(join(release, bundle, 'packages.json'));
const { name, version, description, license, type, engines } = manifest;
writeJson('package.json', {
  ...{ name, version, description, private: true, license, type, engines },
  scripts: { start: 'node dist/server.js', admin: 'node dist/cli.js' },
});
writeFileSync(join(release, 'sbom.json'), billOfMaterials());
process.stdout.write(`${name} ${version} is in ${release}.\n`);

function writeJson(file: string, value: unknown): void {
  writeFileSync(join(release, file), `${JSON.stringify(value, null, 2)}\n`);
}

/** The packages in the bundles of the service and of the pages, as CycloneDX: with version, license and digest. */
function billOfMaterials(): string {
  const builder = new Contrib.FromNodePackageJson.Builders.ComponentBuilder(
    new Contrib.FromNodePackageJson.Factories.ExternalReferenceFactory(),
    new Contrib.License.Factories.LicenseFactory(parseLicense),
  );
  const application = builder.makeComponent(manifest, Enums.ComponentType.Application);
  if (application) application.bomRef.value = `${name}@${version}`;
  const bom = new Models.Bom({ metadata: new Models.Metadata({ component: application }) });
  const locked: Readonly<Record<string, { version?: string; integrity?: string }>> = lock.packages;
  // A package that is installed in several folders is one component.
  const components = new Map<string, Models.Component>();
  for (const folder of ['dist', 'web/dist'].flatMap((bundle) => readPackages(join(root, bundle)))) {
    const text = readFileSync(join(root, folder, 'package.json'), 'utf8');
    const component = builder.makeComponent(JSON.parse(text) as Contrib.FromNodePackageJson.Types.NodePackageJson);
    if (!component) throw new Error(`${folder} has no name.`);
    const fullName = [component.group, component.name].filter(Boolean).join('/');
    component.purl = `pkg:npm/${fullName.replace('@', '%40')}@${component.version}`;
    component.bomRef.value = component.purl;
    const [algorithm, digest = ''] = locked[folder]?.integrity?.split('-') ?? [];
    if (algorithm === 'sha512')
      component.hashes.set(Enums.HashAlgorithm['SHA-512'], Buffer.from(digest, 'base64').toString('hex'));
    components.set(component.purl, component);
  }
  for (const component of components.values()) bom.components.add(component);
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return serializer.serialize(bom, { sortLists: true, space: 2 });
}
