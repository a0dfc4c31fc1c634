import type { CompletionRequest } from '../http/completion-request.js';
import { readAnswerSchema } from './answer-schema.js';
import { chooseTools } from './choose-tools.js';
import { fillSchema } from './fill-schema.js';
import { readPrompt } from './prompt.js';
import type { Reply } from './reply.js';
import { writeAnswer } from './write-answer.js';

/** Replies with tool calls if there are any to make, with JSON if the request has a schema, otherwise with text. */
export function replyTo(request: CompletionRequest): Reply {
  const prompt = readPrompt(request);
  const toolCalls = chooseTools(request, prompt);
  if (toolCalls.length > 0) return { text: '', toolCalls };
  const schema = readAnswerSchema(request, prompt.instructions);
  if (schema === undefined) return { text: writeAnswer(prompt), toolCalls: [] };
  return { text: JSON.stringify(fillSchema(schema, prompt) ?? {}), toolCalls: [] };
}
