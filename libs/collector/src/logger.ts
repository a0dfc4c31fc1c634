import { CollectorError } from './errors.js';

/** Details of a message; `undefined` ones are skipped. */
export type LogFields = Readonly<Record<string, string | number | undefined>>;

/** The log of the service. `console` implements it. */
export abstract class CollectorLogger {
  abstract info(message: string, fields?: LogFields): void;
  abstract warn(message: string, fields?: LogFields): void;
  abstract error(message: string, fields?: LogFields): void;
}

export const LOG_FORMATS = ['pretty', 'json'] as const;
export const LOG_LEVELS = ['error', 'warn', 'info'] as const;

export interface LogOptions {
  /** `pretty` (the default) for people; `json`: one object per line. */
  format?: (typeof LOG_FORMATS)[number];
  /** The lowest level that is logged; `info` adds a line per request. Default: `warn`. */
  level?: (typeof LOG_LEVELS)[number];
}

/** Writes to standard error, so that standard output belongs to the program that runs the service. */
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
  const details = known.length === 0 ? '' : ` (${known.join(' ')})`;
  const frames = stack === undefined ? '' : `\n${stack}`;
  return `dacapo: ${level === 'error' ? 'error: ' : ''}${message}${details}${frames}`;
}

/**
 * Describes an error without recorded data or keys. Messages of other libraries are left out: parsers quote their input, and clients
 * of model vendors may repeat a refused key. In our own messages, quoted text is replaced.
 */
export function describeError(error: unknown): string {
  if (error instanceof CollectorError) return error.message.replace(/"[^"]*"/g, '"…"');
  return [errorName(error), errorCode(error)].filter((part) => part !== undefined).join(' ');
}

/** The same as log fields: name, code, cause, and where the error was thrown. */
export function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: errorName(error) };
  const { cause, stack = '' } = error;
  return {
    error: errorName(error),
    code: errorCode(error),
    cause: cause === undefined ? undefined : (errorCode(cause) ?? errorName(cause)),
    stack: stack
      .split('\n')
      .filter((line) => /^\s+at /.test(line))
      .join('\n'),
  };
}

function errorName(error: unknown): string {
  return error instanceof Error
    ? error.constructor.name
    : `a thrown ${error === null ? 'null' : typeof error}`;
}

function errorCode(error: unknown): string | undefined {
  const { code, status } = (error ?? {}) as { code?: unknown; status?: unknown };
  if (typeof code === 'string' && /^\w{1,64}$/.test(code)) return code;
  return typeof status === 'number' ? String(status) : undefined;
}
