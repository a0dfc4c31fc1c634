import type OpenAI from 'openai';
import { z } from 'zod';
import type { ChatMessage, ChatRequest, ToolDescription } from './chat.js';

/** The fields of an OpenAI-compatible `/chat/completions` response that we read. */
export const chatCompletionSchema = z.object({
  model: z.string(),
  choices: z
    .array(
      z.object({
        message: z.object({
          content: z.string().nullish(),
          tool_calls: z
            .array(
              z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }),
            )
            .nullish(),
        }),
      }),
    )
    .min(1),
  usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }).nullish(),
});
export type ChatCompletion = z.infer<typeof chatCompletionSchema>;

export function toRequestBody(
  model: string,
  request: ChatRequest,
): OpenAI.ChatCompletionCreateParamsNonStreaming {
  const { messages, temperature, tools = [], answerSchema } = request;
  return {
    model,
    messages: messages.map(toMessage),
    ...(temperature !== undefined && { temperature }),
    ...(tools.length > 0 && { tools: tools.map(toTool) }),
    ...(answerSchema && {
      response_format: {
        type: 'json_schema',
        json_schema: { name: answerSchema.name, strict: true, schema: z.toJSONSchema(answerSchema.schema) },
      },
    }),
  };
}

function toMessage(message: ChatMessage): OpenAI.ChatCompletionMessageParam {
  if (message.role === 'tool') {
    return { role: 'tool', content: message.content, tool_call_id: message.toolCallId };
  }
  if (message.role !== 'assistant' || message.toolCalls.length === 0) {
    return { role: message.role, content: message.content };
  }
  const tool_calls = message.toolCalls.map(({ id, name, arguments: args }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: args },
  }));
  return { role: 'assistant', content: message.content || null, tool_calls };
}

function toTool({ name, description, parameters }: ToolDescription): OpenAI.ChatCompletionTool {
  return { type: 'function', function: { name, description, parameters } };
}
