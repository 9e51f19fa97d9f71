// Carries out a Dockerfile without a container engine: each stage has a root directory of its own, with the programs
// of this machine in place of its base image.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { type Copy, DockerfileParser, type From, type Instruction } from 'dockerfile-ast';

/** Whether this process may mount, which takes Linux and root. */
export const canBuild =
  process.getuid?.() === 0 && spawnSync('unshare', ['--mount', '--propagation', 'private', 'true']).status === 0;

/** The root directory of a stage, and what its instructions have set. */
interface Stage {
  readonly root: string;
  readonly env: Map<string, string>;
  readonly volumes: string[];
  folder: string;
  user: string;
  command: readonly string[];
  healthCheck: readonly string[];
}

/** An image, and one container's volumes. */
export class Image {
  private constructor(
    private readonly scratch: string,
    private readonly stage: Stage,
  ) {}

  /**
   * Carries out all instructions.
   *
   * @param context the folder that `COPY` copies from, without what `.dockerignore` leaves out
   * @throws Error with the output of a step that fails, or for an instruction that is not known here
   */
  static build(dockerfile: string, context: string): Image {
    const scratch = mkdtempSync(join(tmpdir(), 'premises-image-'));
    const stages = new Map<string, Stage>();
    let stage: Stage | undefined;
    for (const instruction of DockerfileParser.parse(readFileSync(dockerfile, 'utf8')).getInstructions()) {
      if (instruction.getKeyword() === 'FROM') {
        const name = (instruction as From).getBuildStage() ?? 'last';
        stage = createStage(join(scratch, name));
        stages.set(name, stage);
      } else if (stage) carryOut(instruction, stage, (from) => (from ? (stages.get(from)?.root ?? '') : context));
    }
    if (!stage) throw new Error('The Dockerfile has no stage.');
    return new Image(scratch, stage);
  }

  /** The command that runs the image's own command, or another, on a root directory that is read-only. */
  command(command = this.stage.command): [string, ...string[]] {
    return inStage(this.stage, command, this.stage.volumes);
  }

  /** Runs a command in it. */
  run(command: readonly string[], env: Readonly<Record<string, string>> = {}): SpawnSyncReturns<string> {
    const [program, ...args] = this.command(command);
    return spawnSync(program, args, { encoding: 'utf8', env: { ...process.env, ...env } });
  }

  /** Runs the health check. @returns whether it is healthy */
  isHealthy(env: Readonly<Record<string, string>>): boolean {
    return this.run(this.stage.healthCheck, env).status === 0;
  }

  /** Deletes it with its volumes. */
  delete(): void {
    rmSync(this.scratch, { recursive: true, force: true });
  }
}

/** A root directory with this machine's programs, its own users and nothing else. */
function createStage(root: string): Stage {
  for (const folder of ['usr', 'dev', 'proc', 'tmp', 'root', 'home/node'])
    mkdirSync(join(root, folder), { recursive: true });
  for (const folder of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${folder}`, join(root, folder));
  cpSync('/etc', join(root, 'etc'), { recursive: true, verbatimSymlinks: true });
  // It may be a link to a file that is not there.
  rmSync(join(root, 'etc/resolv.conf'), { force: true });
  cpSync('/etc/resolv.conf', join(root, 'etc/resolv.conf'), { dereference: true });
  // The users of Node's images.
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n');
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnode:x:1000:\n');
  // Where npm finds packages on this machine.
  const settings = join(homedir(), '.npmrc');
  if (existsSync(settings)) cpSync(settings, join(root, 'root/.npmrc'));
  return { root, env: new Map(), volumes: [], folder: '/', user: 'root', command: [], healthCheck: [] };
}

/** What a step needs of this machine's environment to find programs, and packages. */
const networkOf = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) =>
      /^(PATH|(npm_config_)?(registry|cafile|https?_?proxy|no_?proxy)|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE)$/i.test(name),
    ),
  );

function carryOut(instruction: Instruction, stage: Stage, sourceOf: (from: string | undefined) => string): void {
  const args = instruction.getArguments().map((argument) => argument.getValue());
  switch (instruction.getKeyword()) {
    case 'ENV':
      for (const each of args) {
        const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(each) ?? [];
        stage.env.set(name, value);
      }
      break;
    case 'WORKDIR':
      stage.folder = resolve(stage.folder, args[0] ?? '');
      mkdirSync(join(stage.root, stage.folder), { recursive: true });
      break;
    case 'COPY': {
      const flag = (instruction as Copy).getFlags().find((each) => each.getName() === 'from');
      const source = sourceOf(flag?.getValue() ?? undefined);
      const target = join(stage.root, resolve(stage.folder, args.at(-1) ?? ''));
      for (const path of args.slice(0, -1)) {
        const from = join(source, path);
        cpSync(from, statSync(from).isFile() ? join(target, basename(path)) : target, { recursive: true });
      }
      break;
    }
    case 'RUN': {
      const [program, ...rest] = inStage(stage, ['sh', '-c', instruction.getArgumentsContent() ?? '']);
      const env = { ...networkOf(process.env), HOME: '/root' };
      const { status, stdout, stderr } = spawnSync(program, rest, { encoding: 'utf8', env });
      if (status !== 0) throw new Error(`${String(instruction)}\n${stdout}${stderr}`);
      break;
    }
    case 'USER':
      stage.user = args[0] ?? '';
      break;
    case 'VOLUME':
      stage.volumes.push(...args);
      break;
    case 'CMD':
      stage.command = stringsOf(instruction);
      break;
    case 'HEALTHCHECK':
      stage.healthCheck = stringsOf(instruction);
      break;
    case 'EXPOSE':
      break;
    default:
      throw new Error(`${String(instruction)} is not carried out here.`);
  }
}

/** The command of an instruction that has it as a list. */
const stringsOf = (instruction: Instruction): string[] =>
  JSON.parse(/\[.*\]$/s.exec(instruction.getArgumentsContent() ?? '')?.[0] ?? '[]') as string[];

/**
 * The command that runs another one in a stage.
 *
 * @param writable the folders that can be written, besides /tmp; without them all can be
 */
function inStage(stage: Stage, command: readonly string[], writable?: readonly string[]): [string, ...string[]] {
  const { root, env, folder, user } = stage;
  const mounts = [
    `mount --bind ${root} ${root}`,
    ...['usr', 'dev', 'proc'].map((each) => `mount --rbind /${each} ${root}/${each}`),
    `mount -o remount,ro,bind ${root}/usr`,
    ...(writable ?? []).map((each) => `mount --bind ${root}${each} ${root}${each}`),
    ...(writable ? [`mount -o remount,ro,bind ${root}`, `mount -t tmpfs tmpfs ${root}/tmp`] : []),
  ];
  const inside = [
    'chroot',
    `--userspec=${user}`,
    root,
    'env',
    `--chdir=${folder}`,
    ...[...env].map(([k, v]) => `${k}=${v}`),
  ];
  const script = `${mounts.join(' && ')} && exec "$@"`;
  return ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', script, 'sh', ...inside, ...command];
}
