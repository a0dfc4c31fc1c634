import { inspect } from 'node:util';
import { errorCode, describeCause } from '../errors.js';
import type { CliIo } from '../io.js';

/** Formats an error for stderr: as text, or with `isJson` as one line `{"error":{"code","message"}}`. */
export function formatError(
  error: unknown,
  { isJson, env }: { readonly isJson: boolean; readonly env: CliIo['env'] },
): string {
  if (isJson)
    return `${JSON.stringify({ error: { code: displayedCode(error), message: formatMessage(error) } })}\n`;
  const stack = env.DACAPO_DEBUG && error instanceof Error ? `\n${inspect(error)}\n` : '';
  return `${formatMessage(error)} [${displayedCode(error)}]\n${stack}`;
}

/** Errors of Dacapo's packages have their own code and advice; any other is a bug in the CLI. */
function displayedCode(error: unknown): string {
  const code = errorCode(error);
  return code !== undefined && /^(CLI|COLLECTOR|TRACER|NESTJS|TESTING|EVALUATION|PROTOCOL)_/.test(code)
    ? code
    : 'CLI_UNEXPECTED';
}

function formatMessage(error: unknown): string {
  const text = error instanceof Error ? error.message : describeCause(error);
  if (displayedCode(error) !== 'CLI_UNEXPECTED') return text;
  return `Unexpected: ${text.replace(/\.$/, '')}. Run it again with DACAPO_DEBUG=1 to see where, and report it.`;
}
