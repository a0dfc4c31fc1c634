import type { CompletionRequest } from '../http/completion-request.js';
import { chooseLabel } from './choose-label.js';
import { fillSchema } from './fill-schema.js';
import type { ObjectSchema } from './object-schema.js';
import type { Prompt } from './prompt.js';
import type { ReplyToolCall } from './reply.js';

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly schema: ObjectSchema;
}

/**
 * Calls each tool whose arguments the question contains. Of tools without arguments, such as handoffs, calls the one that
 * matches the most words. Calls none after the first results.
 */
export function chooseTools({ tools, tool_choice }: CompletionRequest, prompt: Prompt): ReplyToolCall[] {
  if (prompt.findings.length > 0 || tool_choice === 'none') return [];
  const known = (tools ?? []).map(({ function: { name, description, parameters } }) => ({
    name,
    description: `${name.replaceAll('_', ' ')} ${description ?? ''}`,
    schema: parameters ?? {},
  }));
  const chosen = [
    ...known.filter(takesArguments),
    ...oneOf(
      known.filter((tool) => !takesArguments(tool)),
      prompt,
    ),
  ];
  return chosen.flatMap(({ name, schema }, index) => {
    const args = fillSchema(schema, prompt);
    return args === undefined ? [] : [{ id: `call_${index + 1}`, name, arguments: JSON.stringify(args) }];
  });
}

function takesArguments({ schema }: Tool): boolean {
  return Object.keys(schema.properties ?? {}).length > 0;
}

function oneOf(tools: readonly Tool[], { question, instructions }: Prompt): Tool[] {
  if (tools.length === 0) return [];
  const descriptions = tools.map(({ description }) => description);
  const description = chooseLabel(descriptions, question, instructions);
  return tools.filter((tool) => tool.description === description);
}
