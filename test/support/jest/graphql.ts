// There may be only one `graphql` module: the one that the schema was created with.
export * from 'graphql';
