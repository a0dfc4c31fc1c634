/** A tool call, as text of a prompt. */
export function callText(name: unknown, args: unknown): string {
  return `[calls ${String(name)} ${typeof args === 'string' ? args : JSON.stringify(args ?? {})}]`;
}

/** The prefix of a tool result in a prompt. */
export function resultText(callId: unknown): string {
  return typeof callId === 'string' ? `[result of ${callId}] ` : '';
}
