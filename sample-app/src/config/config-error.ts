/** An invalid environment variable. The message names it and a valid value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(variable: string, problem: string, cure: string) {
    super(`${variable} ${problem}. ${cure}`);
  }
}
