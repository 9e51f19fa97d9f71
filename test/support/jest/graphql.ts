// There may be one `graphql` only: the one that the schema was made with.
export * from 'graphql';
