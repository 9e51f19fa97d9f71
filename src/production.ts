// Imported before anything else: graphql checks every value's realm, slowly, unless this says production.
process.env['NODE_ENV'] ??= 'production';
