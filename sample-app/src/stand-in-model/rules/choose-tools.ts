import type { CompletionRequest } from '../http/completion-request.js';
import { fillSchema } from './fill-schema.js';
import type { Prompt } from './prompt.js';
import type { ReplyToolCall } from './reply.js';

/** Every tool whose arguments the question holds, once. Nothing is looked up twice. */
export function chooseTools({ tools, tool_choice }: CompletionRequest, prompt: Prompt): ReplyToolCall[] {
  if (prompt.findings.length > 0 || tool_choice === 'none') return [];
  return (tools ?? []).flatMap(({ function: { name, parameters } }, index) => {
    const args = fillSchema(parameters ?? {}, prompt);
    return args === undefined ? [] : [{ id: `call_${index + 1}`, name, arguments: JSON.stringify(args) }];
  });
}
