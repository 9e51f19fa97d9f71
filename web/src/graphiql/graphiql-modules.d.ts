// The modules that vite.config.ts makes of GraphiQL's package.

declare module 'graphiql:style.css';

declare module 'graphiql:*' {
  /** The address of a script. */
  const address: string;
  export default address;
}
