/** A variable of the environment that cannot work; the message says which, and what it takes. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(variable: string, problem: string, cure: string) {
    super(`${variable} ${problem}. ${cure}`);
  }
}
