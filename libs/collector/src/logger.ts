import { CollectorError } from './errors.js';

/** Facts of a message; `undefined` ones are skipped. */
export type LogFields = Readonly<Record<string, string | number | undefined>>;

/** Where the service says what it does. `console` is one. */
export abstract class CollectorLogger {
  abstract info(message: string, fields?: LogFields): void;
  abstract warn(message: string, fields?: LogFields): void;
  abstract error(message: string, fields?: LogFields): void;
}

export const LOG_FORMATS = ['pretty', 'json'] as const;
export const LOG_LEVELS = ['error', 'warn', 'info'] as const;

export interface LogOptions {
  /** `pretty` (the default) for people; `json`: one object in a line. */
  format?: (typeof LOG_FORMATS)[number];
  /** The least that is worth a line: `info` adds one for each request. `warn` when absent. */
  level?: (typeof LOG_LEVELS)[number];
}

/** Standard output stays free for the program that runs the service. */
export class StderrLogger extends CollectorLogger {
  private readonly format: NonNullable<LogOptions['format']>;
  private readonly rank: number;

  constructor({ format = 'pretty', level = 'warn' }: LogOptions = {}) {
    super();
    this.format = format;
    this.rank = LOG_LEVELS.indexOf(level);
  }

  info(message: string, fields?: LogFields): void {
    this.write('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.write('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.write('error', message, fields);
  }

  private write(level: NonNullable<LogOptions['level']>, message: string, fields: LogFields = {}): void {
    if (LOG_LEVELS.indexOf(level) > this.rank) return;
    const line =
      this.format === 'json'
        ? JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })
        : prettyLine(level, message, fields);
    process.stderr.write(`${line}\n`);
  }
}

function prettyLine(level: string, message: string, { stack, ...fields }: LogFields): string {
  const known = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  );
  const facts = known.length === 0 ? '' : ` (${known.join(' ')})`;
  const frames = stack === undefined ? '' : `\n${stack}`;
  return `dacapo: ${level === 'error' ? 'error: ' : ''}${message}${facts}${frames}`;
}

/**
 * What a log may say of an error. Messages of other libraries' errors are skipped: that of a parser quotes what it read, that of
 * a vendor's client may repeat the key that was refused. So is what our own quote.
 */
export function describeError(error: unknown): string {
  if (error instanceof CollectorError) return error.message.replace(/"[^"]*"/g, '"…"');
  return [nameOf(error), codeOf(error)].filter((part) => part !== undefined).join(' ');
}

/** The same for machines: name, code, cause, and where it was thrown. */
export function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: nameOf(error) };
  const { cause, stack = '' } = error;
  return {
    error: nameOf(error),
    code: codeOf(error),
    cause: cause === undefined ? undefined : (codeOf(cause) ?? nameOf(cause)),
    stack: stack
      .split('\n')
      .filter((line) => /^\s+at /.test(line))
      .join('\n'),
  };
}

function nameOf(error: unknown): string {
  return error instanceof Error
    ? error.constructor.name
    : `a thrown ${error === null ? 'null' : typeof error}`;
}

function codeOf(error: unknown): string | undefined {
  const { code, status } = (error ?? {}) as { code?: unknown; status?: unknown };
  if (typeof code === 'string' && /^\w{1,64}$/.test(code)) return code;
  return typeof status === 'number' ? String(status) : undefined;
}
