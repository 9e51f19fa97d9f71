/** The reference server that queries the database through pg, in hand-written SQL. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { callersInPg, rowsOf } from './callers-pg.ts';
import { type ServiceRequest, serve, UnknownReference } from './reference.ts';

/** Creates an id that sorts by time (UUID version 7), as Prisma does. */
function newId(): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const columns = `id, title, description, status, priority, category, assigned_to, created_by, building_id, floor, room,
  completed_at, created_at, updated_at`;

await serve(
  {
    ...callersInPg,

    async list(companyId, query) {
      const values: unknown[] = [];
      const $ = (value: unknown) => `$${values.push(value)}`;
      const oneOf = (column: string, type: string, list: string[]) =>
        list.length === 1 ? `${column} = ${$(list[0])}` : `${column} = ANY (${$(list)}::${type}[])`;
      const conditions = [`company_id = ${$(companyId)}`];
      if (query.status) conditions.push(oneOf('status', 'request_status', query.status));
      if (query.priority) conditions.push(oneOf('priority', 'request_priority', query.priority));
      if (query.assigned_to) conditions.push(oneOf('assigned_to', 'uuid', query.assigned_to));
      if (query.category) conditions.push(oneOf('category', 'text', query.category));
      if (query.created_after) conditions.push(`created_at >= ${$(query.created_after)}`);
      if (query.created_before) conditions.push(`created_at < ${$(query.created_before)}`);
      if (query.search) {
        const pattern = $(`%${query.search}%`);
        conditions.push(`(title ILIKE ${pattern} OR description ILIKE ${pattern})`);
      }
      const counted = rowsOf<{ total: number }>(
        `SELECT count(*)::int AS total FROM service_requests WHERE ${conditions.join(' AND ')}`,
        [...values],
      );
      if (query.cursor)
        conditions.push(`(created_at, id) < (${$(query.cursor.createdAt)}, ${$(query.cursor.id)}::uuid)`);
      const listed = rowsOf<ServiceRequest>(
        `SELECT ${columns} FROM service_requests WHERE ${conditions.join(' AND ')}
         ORDER BY created_at DESC, id DESC LIMIT ${$(query.limit + 1)} OFFSET ${$(query.offset)}`,
        values,
      );
      const [rows, [count]] = await Promise.all([listed, counted]);
      return { rows, total: count!.total };
    },

    async read(companyId, id) {
      const [row] = await rowsOf<ServiceRequest>(
        `SELECT ${columns} FROM service_requests WHERE company_id = $1 AND id = $2`,
        [companyId, id],
      );
      return row ?? null;
    },

    async create({ companyId, userId }, input) {
      const { title, description, priority, category, assigned_to, building_id, floor, room } = input;
      // One statement is one transaction; the foreign keys check the references.
      const [row] = await rowsOf<ServiceRequest>(
        `WITH request AS (
           INSERT INTO service_requests (company_id, id, created_by, title, description, priority, category,
             assigned_to, building_id, floor, room)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING *
         ), entry AS (
           INSERT INTO activity_entries (company_id, id, service_request_id, action, user_id)
           SELECT company_id, $12, id, 'created', created_by FROM request
         )
         SELECT ${columns} FROM request`,

        [
          companyId,
          newId(),
          userId,
          title,
          description,
          priority,
          category,
          assigned_to,
          building_id,
          floor,
          room,
          newId(),
        ],
      ).catch((error: unknown) => {
        throw (error instanceof pg.DatabaseError && UnknownReference.from(error.constraint)) || error;
      });
      return row!;
    },

    async nested(companyId) {
      const [row] = await rowsOf<{ data: string }>(
        `SELECT json_build_object('serviceRequests', json_build_object('nodes', coalesce(json_agg(
           json_build_object(
             'id', r.id, 'title', r.title, 'status', upper(replace(r.status::text, '-', '_')),
             'assignee', CASE WHEN a.id IS NOT NULL THEN json_build_object('id', a.id, 'fullName', a.full_name) END,
             'comments', json_build_object('nodes', c.nodes),
             'watchers', json_build_object('nodes', w.nodes)
           ) ORDER BY r.created_at DESC, r.id DESC), '[]')))::text AS data
         FROM (
           SELECT * FROM service_requests WHERE company_id = $1 ORDER BY created_at DESC, id DESC LIMIT 20
         ) r
         LEFT JOIN users a ON a.company_id = r.company_id AND a.id = r.assigned_to
         CROSS JOIN LATERAL (
           SELECT coalesce(json_agg(json_build_object(
             'comment', c.comment, 'author', json_build_object('fullName', u.full_name)
           ) ORDER BY c.created_at DESC, c.id DESC), '[]') AS nodes
           FROM (
             SELECT * FROM comments WHERE company_id = r.company_id AND service_request_id = r.id
             ORDER BY created_at DESC, id DESC LIMIT 5
           ) c JOIN users u ON u.company_id = c.company_id AND u.id = c.user_id
         ) c
         CROSS JOIN LATERAL (
           SELECT coalesce(json_agg(json_build_object(
             'id', u.id, 'fullName', u.full_name
           ) ORDER BY u.created_at DESC, u.id DESC), '[]') AS nodes
           FROM (
             SELECT u.id, u.full_name, u.created_at
             FROM watchers w JOIN users u ON u.company_id = w.company_id AND u.id = w.user_id
             WHERE w.company_id = r.company_id AND w.service_request_id = r.id
             ORDER BY u.created_at DESC, u.id DESC LIMIT 5
           ) u
         ) w`,
        [companyId],
      );
      return row!.data;
    },
  },
  Number(process.env.PORT),
);
