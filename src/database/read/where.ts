/** A condition as Prisma's arguments. */
export type Where = Readonly<Record<string, unknown>>;
