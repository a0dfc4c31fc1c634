import { inspect } from 'node:util';
import { codeOf, reasonOf } from '../errors.js';
import type { CliIo } from '../io.js';

/** An error as stderr shows it: as text, or with `isJson` as one line `{"error":{"code","message"}}`. */
export function formatError(
  error: unknown,
  { isJson, env }: { readonly isJson: boolean; readonly env: CliIo['env'] },
): string {
  if (isJson)
    return `${JSON.stringify({ error: { code: shownCodeOf(error), message: messageOf(error) } })}\n`;
  const stack = env.DACAPO_DEBUG && error instanceof Error ? `\n${inspect(error)}\n` : '';
  return `${messageOf(error)} [${shownCodeOf(error)}]\n${stack}`;
}

/** Errors of Dacapo's packages carry a code and a cure of their own; any other is a fault of the command. */
function shownCodeOf(error: unknown): string {
  const code = codeOf(error);
  return code !== undefined && /^(CLI|COLLECTOR|TRACER|NESTJS|EVALUATION|PROTOCOL)_/.test(code)
    ? code
    : 'CLI_UNEXPECTED';
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : reasonOf(error);
  if (shownCodeOf(error) !== 'CLI_UNEXPECTED') return text;
  return `Unexpected: ${text.replace(/\.$/, '')}. Run it again with DACAPO_DEBUG=1 to see where, and report it.`;
}
