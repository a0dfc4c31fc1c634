import type { CompletionRequest } from '../http/completion-request.js';
import { askedSchema } from './asked-schema.js';
import { chooseTools } from './choose-tools.js';
import { fillSchema } from './fill-schema.js';
import { readPrompt } from './prompt.js';
import type { Reply } from './reply.js';
import { writeAnswer } from './write-answer.js';

/** Calls of tools where there are some to make, then JSON where a schema asks for it, else an answer in words. */
export function replyTo(request: CompletionRequest): Reply {
  const prompt = readPrompt(request);
  const toolCalls = chooseTools(request, prompt);
  if (toolCalls.length > 0) return { text: '', toolCalls };
  const schema = askedSchema(request, prompt.instructions);
  if (schema === undefined) return { text: writeAnswer(prompt), toolCalls: [] };
  return { text: JSON.stringify(fillSchema(schema, prompt) ?? {}), toolCalls: [] };
}
