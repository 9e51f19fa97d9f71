// The command that compares files with their store.
import { afterEach, expect, test } from '@jest/globals';
import { folderOf, originalOf } from '../../src/files/index.ts';
import { uuidAt } from '../../src/formats.ts';
import { CommandLine } from '../support/command-line.ts';
import { S3Server } from '../support/s3.ts';
import { filesOf } from '../support/service.ts';
import { content } from '../support/store-contract.ts';
import { type StorePlace, storeInFolder, storeInS3 } from '../support/store-places.ts';
import { hasSwift, Swift } from '../support/swift.ts';

type Place = [name: string, count: number, open: () => Promise<StorePlace>];
const places: Place[] = [
  // More than are read at once.
  ['in a folder', 700, storeInFolder],
  // On Swift more than a page of a list has.
  ['in S3', 30, async () => storeInS3(await S3Server.start())],
  ...(hasSwift ? [['on Swift', 30, async () => storeInS3(await Swift.start())] satisfies Place] : []),
];

let place: StorePlace;
let commands: CommandLine;
afterEach(async () => {
  await commands.remove();
  await place.close();
});

test.each(places)(
  'of a store %s lists files without bytes or with other ones, and bytes without a file',
  async (_, count, open) => {
    place = await open();
    const created = await CommandLine.create();
    commands = created.with({ ...created.env, ...place.env('files') });
    const { store } = filesOf(place.env('files'));
    await commands.run('company', 'create', '--slug', 'acme', '--name', 'Acme');
    let companyId = '';
    const ids: string[] = [];
    await commands.look(async ({ prisma }) => {
      ({ id: companyId } = await prisma.company.findFirstOrThrow({ where: { slug: 'acme' } }));
      const about = { name: 'x', mediaType: 'text/plain', size: 3, sha256: '0'.repeat(64), companyId };
      for (let n = 0; n < count; n += 1) ids.push(uuidAt(new Date()));
      await prisma.file.createMany({ data: ids.map((id) => ({ ...about, id })) });
    });
    const write = (id: string, text = 'abc') => store.write(originalOf({ companyId, id }), content(text));
    for (const id of ids) await write(id);
    expect(await commands.run('check-files')).toMatchObject({
      code: 0,
      out: `${count} files with ${3 * count} bytes: 0 have no bytes, 0 have another size. The store has 0 without a row.\n`,
    });
    const [lost = '', cut = '', unknown] = [ids[3], ids.at(-1), uuidAt(new Date())];
    await store.remove(folderOf({ companyId, id: lost }));
    await write(cut, 'a');
    await write(unknown);
    const [{ code, out }, all] = [await commands.run('check-files'), await commands.run('check')];
    expect(all).toMatchObject({ code: 1, out: `No workspace records overlap.\nAll texts are in one form.\n${out}` });
    expect({ code, lines: out.trim().split('\n').toSorted() }).toEqual({
      code: 1,
      lines: [
        `${companyId}\t${lost}\tno bytes`,
        `${companyId}\t${cut}\t1 bytes instead of 3`,
        `${folderOf({ companyId, id: unknown })}\tno row`,
        `${count} files with ${3 * count} bytes: 1 have no bytes, 1 have another size. The store has 1 without a row.`,
      ].toSorted(),
    });
    await store.close();
  },
);

test('a store that cannot be asked is said, rather than that it has no bytes', async () => {
  const server = await S3Server.start();
  place = await storeInS3(server);
  const created = await CommandLine.create();
  commands = created.with({ ...created.env, ...place.env('files') });
  await server.pause();
  const { code, out, err } = await commands.run('check-files');
  expect([code, out, err]).toEqual([1, '', expect.stringContaining('store of files is not available')]);
});
