import type { CompletionRequest } from '../http/completion-request.js';
import { chooseTools } from './choose-tools.js';
import { fillSchema } from './fill-schema.js';
import { readPrompt } from './prompt.js';
import type { Reply } from './reply.js';
import { writeAnswer } from './write-answer.js';

/** JSON where a schema asks for it, calls of tools where there are some to make, else an answer in words. */
export function replyTo(request: CompletionRequest): Reply {
  const prompt = readPrompt(request);
  const schema = request.response_format?.json_schema?.schema;
  if (schema) return { text: JSON.stringify(fillSchema(schema, prompt) ?? {}), toolCalls: [] };
  const toolCalls = chooseTools(request, prompt);
  return toolCalls.length > 0 ? { text: '', toolCalls } : { text: writeAnswer(prompt), toolCalls: [] };
}
