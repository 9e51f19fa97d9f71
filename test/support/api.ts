// What the tests are about: the API of the product.
import { graphqlSchemaOf } from '../../src/graphql/schema.ts';
import { routesOf } from '../../src/rest/routes.ts';
import { api } from '../../src/schema/index.ts';

/** Its routes in REST. */
export const routes = () => routesOf(api);

/** Its schema at /graphql. */
export const graphqlSchema = graphqlSchemaOf(api);
