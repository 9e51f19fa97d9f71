/** `ServiceRequest` → `serviceRequest`. */
export const lowerFirst = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);

/** `service request` → `Service request`. */
export const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** `createdAt` → `created_at`, as REST and the database spell names. */
export const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `createdAt` → `CREATED_AT`, as GraphQL spells enum values. */
export const constantCase = (name: string) => snakeCase(name).toUpperCase();

/** `assetMaintenance` → `asset-maintenance`. */
export const kebabCase = (name: string) => snakeCase(name).replaceAll('_', '-');

/** `createdBy` → `Created by`, and `fileUrl` → `File URL`, for people to read. */
export const labelOf = (name: string) =>
  upperFirst(
    snakeCase(lowerFirst(name))
      .toLowerCase()
      .replaceAll(/[_-]+/g, ' ')
      .replaceAll(/\b(id|ids|ip|sku|url|usd)\b/g, (word) => word.toUpperCase().replace('IDS', 'IDs')),
  );

/** `dueDate` → `due date`: a name as words of a sentence. */
export const spaced = (name: string) => snakeCase(lowerFirst(name)).replaceAll('_', ' ');

/** The path of a route as documents have it: `/paints/:paintId/locations` → `/paints/{paint}/locations`. */
export const pathTemplate = (path: string): string =>
  path.replace(/:(\w+)/g, (_, argument: string) => `{${pathVariable(argument)}}`);

/**
 * The name of an argument in a path: `paintId` → `paint`. Lists below a paint can also be filtered by `paint_id`, and
 * some client generators spell both alike.
 */
export const pathVariable = (argument: string): string => argument.replace(/Id$/, '');

/** The argument with the id of a parent row: `Paint` → `paintId`. */
export const idArgument = (type: string) => `${lowerFirst(type)}Id`;

/** The address of a row's page. @param company its slug @param page that of the resource, such as `service-requests` */
export const rowAddress = (company: string, page: string, id: string): string => `/c/${company}/${page}/${id}`;
