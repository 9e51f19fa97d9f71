import { createHash } from 'node:crypto';
import { originalOf } from '../../src/files/index.ts';
import { filesOf, type Service, type Tenant } from './service.ts';

/** Adds a file that no row holds, sent by the owner of the tokens. @returns its id */
export async function insertFile(
  { database }: Pick<Service, 'database'>,
  { users }: Pick<Tenant, 'users'>,
  companyId: string,
): Promise<string> {
  const bytes = Buffer.from('abc');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const about = { name: 'plan.txt', mediaType: 'text/plain', size: bytes.length, sha256 };
  const { id } = await database.prisma.file.create({ data: { companyId, userId: users[0]?.id ?? null, ...about } });
  async function* content() {
    yield bytes;
  }
  await filesOf().store.write(originalOf({ companyId, id }), content());
  return id;
}
