// Imported before anything else: outside production, graphql checks the realm of every value, which is slow.
process.env['NODE_ENV'] ??= 'production';
