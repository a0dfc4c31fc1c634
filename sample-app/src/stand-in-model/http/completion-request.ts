import { z } from 'zod';

const textPart = z.object({ type: z.literal('text'), text: z.string() }).transform(({ text }) => text);

const content = z
  .union([z.string(), z.array(textPart).transform((parts) => parts.join('\n'))])
  .nullish()
  .transform((text) => text ?? '');

const jsonSchema = z.record(z.string(), z.unknown());

/** The fields of a `POST /v1/chat/completions` body that the stand-in reads. */
export const completionRequestSchema = z.object({
  model: z.string().min(1),
  messages: z
    .array(z.object({ role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']), content }))
    .min(1),
  temperature: z.number().min(0).max(2).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().optional() }).nullish(),
  tools: z
    .array(
      z.object({
        type: z.literal('function'),
        function: z.object({
          name: z.string(),
          description: z.string().nullish(),
          parameters: jsonSchema.nullish(),
        }),
      }),
    )
    .nullish(),
  tool_choice: z.unknown().optional(),
  response_format: z
    .object({ type: z.string(), json_schema: z.object({ schema: jsonSchema.nullish() }).nullish() })
    .nullish(),
});

export type CompletionRequest = z.infer<typeof completionRequestSchema>;
