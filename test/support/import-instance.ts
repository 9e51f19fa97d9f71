// An instance that goes on with an import, until it is killed or the import has ended.
//
// Arguments: the address or the folder of the database; how many rows the file has, to begin with it; and how many
// attempts are used up then.
import { setTimeout as sleep } from 'node:timers/promises';
import { Jobs } from '../../src/background/jobs.ts';
import { openDatabase } from '../../src/database/index.ts';
import { migrate } from '../../src/database/migrate.ts';
import { importFile, keepFile, storeArriving } from '../../src/import/index.ts';
import { addJob } from '../../src/jobs/index.ts';
import { noMailer } from '../../src/mail/index.ts';
import { api } from '../../src/schema/index.ts';

/** What an instance tells. */
export type ImportReport =
  | { readonly is: 'going'; readonly done: number }
  | {
      readonly is: 'ended';
      readonly status: string;
      readonly created: number;
      readonly error: unknown;
      readonly names: readonly string[];
    };

const [place = '', rows, attempts = '0'] = process.argv.slice(2);
const isAddress = place.startsWith('postgresql:');
const database = await openDatabase({ databaseUrl: isAddress ? place : undefined, dataDir: isAddress ? '' : place });
const { prisma } = database;

if (rows !== undefined) {
  await migrate(database);
  const { id: companyId } = await prisma.company.create({ data: { name: 'Acme', slug: 'acme' } });
  const ada = { email: 'ada@acme.example', fullName: 'Ada' };
  const { id: userId } = await prisma.person.create({ data: ada });
  await prisma.user.create({ data: { companyId, id: userId, ...ada, role: 'ADMIN' } });
  const options = { mode: 'insert', handling: 'strict', autoStart: true };
  const row = await prisma.import.create({ data: { companyId, userId, type: 'Vendor', options, status: 'CHECKING' } });
  const lines = Array.from({ length: Number(rows) }, (_, n) => `Vendor ${n}`);
  const file = (async function* () {
    yield Buffer.from(`company_name\n${lines.join('\n')}\n`);
  })();
  const arrived = await storeArriving(prisma, row, file, 10_000_000);
  await keepFile(prisma, row, arrived);
  await prisma.import.updateMany({ data: { fileBytes: arrived.size } });
  await addJob(prisma, importFile, { companyId, payload: { importId: row.id }, createdBy: userId });
  await prisma.job.updateMany({ data: { attempts: Number(attempts) } });
}
// The lease of an instance that was killed would end by itself.
await prisma.job.updateMany({ where: { state: 'pending' }, data: { nextAt: new Date(0) } });
const log = { warn: (...facts: unknown[]) => console.error(...facts) };
new Jobs({ database, api, mailer: noMailer, log }, [importFile]).start();
for (;;) {
  const { status, done, created, error } = await prisma.import.findFirstOrThrow();
  if (status === 'IMPORTING') process.send?.({ is: 'going', done } satisfies ImportReport);
  if (status === 'IMPORTED' || status === 'FAILED') {
    const found = await prisma.vendor.findMany({ select: { companyName: true } });
    const names = found.map(({ companyName }) => companyName);
    process.send?.({ is: 'ended', status, created, error, names } satisfies ImportReport);
    break;
  }
  await sleep(20);
}
