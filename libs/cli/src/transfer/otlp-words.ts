import { type Command, Option } from 'commander';
import { UsageError } from '../errors.js';

/** Adds an option for headers in the format of `OTEL_EXPORTER_OTLP_HEADERS`. */
export function withHeaderOption(command: Command, flag: string, variable: string): Command {
  return command.addOption(
    new Option(
      `${flag} <name=value>`,
      'a header for that receiver; repeat it for several, or separate them by commas with percent-encoded values',
    )
      .argParser((text, before: readonly string[] | undefined) => [...(before ?? []), text])
      .env(variable),
  );
}

/** @throws UsageError without the value, which may be a key */
export function readHeaders(flag: string, texts: readonly string[]): Record<string, string> {
  const headers = texts
    .flatMap((text) => text.split(','))
    .map((pair): [string, string] => {
      const at = pair.indexOf('=');
      if (at < 1) throw new UsageError(`${flag} has a header that is not written as name=value.`);
      return [pair.slice(0, at).trim(), decode(pair.slice(at + 1).trim())];
    });
  return Object.fromEntries(headers);
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
