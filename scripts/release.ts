// Puts a release into release/: what the service needs to run, and nothing to install. Packages with machine code are
// in it for the platforms of the image.
//   npm run release
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Contrib, Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import parseLicense from 'spdx-expression-parse';
import manifest from '../package.json' with { type: 'json' };
import lock from '../package-lock.json' with { type: 'json' };
import { nativePackages, readPackages } from './packages.mjs';

const root = join(import.meta.dirname, '..');
const release = join(root, 'release');
/** What pdfjs-dist has for browsers, which is most of it. */
const unneeded =
  /pdfjs-dist\/(build|image_decoders|types|web|legacy\/image_decoders|legacy\/web)$|pdfjs-dist\/.*\.map$/;

rmSync(release, { recursive: true, force: true });
for (const part of ['dist', 'web/dist', 'prisma/migrations', 'prisma/schema', 'CHANGELOG.md'])
  cpSync(join(root, part), join(release, part), { recursive: true });
for (const bundle of ['dist', 'web/dist']) rmSync(join(release, bundle, 'packages.json'));
const { name, version, description, license, type, engines } = manifest;
writeJson('package.json', {
  ...{ name, version, description, private: true, license, type, engines },
  scripts: { start: 'node dist/server.js', admin: 'node dist/cli.js' },
});
const native = ['x64', 'arm64'].flatMap(addNativePackages);
writeFileSync(join(release, 'sbom.json'), billOfMaterials());
process.stdout.write(`${name} ${version} is in ${release}.\n`);

function writeJson(file: string, value: unknown): void {
  writeFileSync(join(release, file), `${JSON.stringify(value, null, 2)}\n`);
}

/**
 * Installs the packages that are not bundled, as the lock file has them, for an architecture of Linux. Without its
 * binaries, as in images of Alpine, the service runs, and does not do what they are for.
 *
 * @returns the folders of these and of what they depend on
 */
function addNativePackages(cpu: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'premises-native-'));
  try {
    const dependencies = Object.fromEntries(nativePackages.map((each) => [each, manifest.dependencies[each]]));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies }));
    cpSync(join(root, 'package-lock.json'), join(folder, 'package-lock.json'));
    const options = [
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--no-bin-links',
      '--os=linux',
      '--libc=glibc',
      `--cpu=${cpu}`,
    ];
    execFileSync('npm', ['install', ...options], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    // npm lists there what it has installed.
    const list = join(folder, 'node_modules', '.package-lock.json');
    const { packages } = JSON.parse(readFileSync(list, 'utf8')) as { packages: object };
    rmSync(list);
    cpSync(join(folder, 'node_modules'), join(release, 'node_modules'), {
      recursive: true,
      filter: (path) => !unneeded.test(path),
    });
    return Object.keys(packages).map((each) => join('release', each));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The packages in the release, bundled or not, as CycloneDX: with version, license and digest. */
function billOfMaterials(): string {
  const builder = new Contrib.FromNodePackageJson.Builders.ComponentBuilder(
    new Contrib.FromNodePackageJson.Factories.ExternalReferenceFactory(),
    new Contrib.License.Factories.LicenseFactory(parseLicense),
  );
  const application = builder.makeComponent(manifest, Enums.ComponentType.Application);
  if (application) application.bomRef.value = `${name}@${version}`;
  const bom = new Models.Bom({ metadata: new Models.Metadata({ component: application }) });
  const locked = new Map(
    Object.entries<{ version?: string; integrity?: string }>(lock.packages).map(([path, { version, integrity }]) => [
      `${path.split('node_modules/').at(-1)}@${version}`,
      integrity,
    ]),
  );
  // A package that is installed in several folders is one component.
  const components = new Map<string, Models.Component>();
  for (const folder of [...['dist', 'web/dist'].flatMap((bundle) => readPackages(join(root, bundle))), ...native]) {
    const text = readFileSync(join(root, folder, 'package.json'), 'utf8');
    const component = builder.makeComponent(JSON.parse(text) as Contrib.FromNodePackageJson.Types.NodePackageJson);
    if (!component) throw new Error(`${folder} has no name.`);
    const fullName = [component.group, component.name].filter(Boolean).join('/');
    component.purl = `pkg:npm/${fullName.replace('@', '%40')}@${component.version}`;
    component.bomRef.value = component.purl;
    const [algorithm, digest = ''] = locked.get(`${fullName}@${component.version}`)?.split('-') ?? [];
    if (algorithm === 'sha512')
      component.hashes.set(Enums.HashAlgorithm['SHA-512'], Buffer.from(digest, 'base64').toString('hex'));
    components.set(component.purl, component);
  }
  for (const component of components.values()) bom.components.add(component);
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return serializer.serialize(bom, { sortLists: true, space: 2 });
}
