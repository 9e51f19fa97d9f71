/** The reference server that queries the database through Prisma. */
import { PrismaPg } from '@prisma/adapter-pg';
import {
  Prisma,
  PrismaClient,
  type RequestPriority,
  type RequestStatus,
  type ServiceRequest as Row,
} from '../src/database/generated/client/client.ts';
import { callersInPg } from './callers-pg.ts';
import { priorities, type ServiceRequest, serve, statuses, UnknownReference } from './reference.ts';

const names = new Map<string, string>();
const prisma = new PrismaClient({
  adapter: new PrismaPg(
    { connectionString: process.env.DATABASE_URL },
    // Named statements are planned once per connection, as in the other servers.
    {
      statementNameGenerator: ({ sql }) => {
        const name = names.get(sql) ?? `s${names.size}`;
        names.set(sql, name);
        return name;
      },
    },
  ),
});

const newestFirst = [{ createdAt: 'desc' }, { id: 'desc' }] satisfies Prisma.ServiceRequestOrderByWithRelationInput[];

const nameOf = <Name extends string>(words: Record<Name, string>) => {
  const byWord = new Map(Object.entries<string>(words).map(([name, word]) => [word, name as Name]));
  return (word: string) => byWord.get(word)!; // every word has passed validation
};
const statusName = nameOf<RequestStatus>(statuses);
const priorityName = nameOf<RequestPriority>(priorities);

const toRest = (row: Row): ServiceRequest => ({
  id: row.id,
  title: row.title,
  description: row.description,
  status: statuses[row.status],
  priority: priorities[row.priority],
  category: row.category,
  assigned_to: row.assignedTo,
  created_by: row.createdBy,
  building_id: row.buildingId,
  floor: row.floor,
  room: row.room,
  completed_at: row.completedAt,
  created_at: row.createdAt,
  updated_at: row.updatedAt,
});

await prisma.$connect();
await serve(
  {
    ...callersInPg,

    async list(companyId, query) {
      const where: Prisma.ServiceRequestWhereInput = {
        companyId,
        status: query.status && { in: query.status.map(statusName) },
        priority: query.priority && { in: query.priority.map(priorityName) },
        assignedTo: query.assigned_to && { in: query.assigned_to },
        category: query.category && { in: query.category },
        createdAt: { gte: query.created_after, lt: query.created_before },
        OR: query.search
          ? ['title', 'description'].map((field) => ({ [field]: { contains: query.search, mode: 'insensitive' } }))
          : undefined,
      };
      const after = query.cursor && {
        OR: [
          { createdAt: { lt: query.cursor.createdAt } },
          { createdAt: query.cursor.createdAt, id: { lt: query.cursor.id } },
        ],
      };
      const [rows, total] = await Promise.all([
        prisma.serviceRequest.findMany({
          where: after ? { AND: [where, after] } : where,
          orderBy: newestFirst,
          take: query.limit + 1,
          skip: query.offset,
        }),
        prisma.serviceRequest.count({ where }),
      ]);
      return { rows: rows.map(toRest), total };
    },

    async read(companyId, id) {
      const row = await prisma.serviceRequest.findUnique({ where: { companyId_id: { companyId, id } } });
      return row && toRest(row);
    },

    async create({ companyId, userId }, input) {
      const row = await prisma.serviceRequest
        .create({
          data: {
            companyId,
            createdBy: userId,
            title: input.title,
            description: input.description,
            priority: priorityName(input.priority),
            category: input.category,
            assignedTo: input.assigned_to,
            buildingId: input.building_id,
            floor: input.floor,
            room: input.room,
            activity: { create: { action: 'CREATED', userId } },
          },
        })
        .catch((error: unknown) => {
          if (!(error instanceof Prisma.PrismaClientKnownRequestError)) throw error;
          throw (error.code === 'P2003' && UnknownReference.from(JSON.stringify(error.meta))) || error;
        });
      return toRest(row);
    },

    async nested(companyId) {
      const rows = await prisma.serviceRequest.findMany({
        relationLoadStrategy: 'join',
        where: { companyId },
        orderBy: newestFirst,
        take: 20,
        select: {
          id: true,
          title: true,
          status: true,
          assignee: { select: { id: true, fullName: true } },
          comments: {
            orderBy: newestFirst,
            take: 5,
            select: { comment: true, author: { select: { fullName: true } } },
          },
          watchers: {
            orderBy: [{ user: { createdAt: 'desc' } }, { user: { id: 'desc' } }],
            take: 5,
            select: { user: { select: { id: true, fullName: true } } },
          },
        },
      });
      const nodes = rows.map(({ comments, watchers, ...row }) => ({
        ...row,
        comments: { nodes: comments },
        watchers: { nodes: watchers.map(({ user }) => user) },
      }));
      return { serviceRequests: { nodes } };
    },
  },
  Number(process.env.PORT),
);
