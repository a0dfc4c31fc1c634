/** Where `@dacapo/testing` looks for cassettes. */
export const DEFAULT_DIRECTORY = 'test/cassettes';
