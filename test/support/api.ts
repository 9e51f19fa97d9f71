// What the tests are about: the API of the product.
import { graphqlSchemaOf } from '../../src/graphql/schema.ts';
import { fileRoute } from '../../src/rest/files.ts';
import { routesOf } from '../../src/rest/routes.ts';
import { api } from '../../src/schema/index.ts';

/** Its routes of files. */
export const fileRoutes = () => api.files.map(fileRoute);

/** Its routes in REST. */
export const routes = () => routesOf(api);

/** Its schema at /graphql. */
export const graphqlSchema = graphqlSchemaOf(api);
