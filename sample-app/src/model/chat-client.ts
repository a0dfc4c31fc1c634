import { Inject, Injectable } from '@nestjs/common';
import { getCurrentSpan } from '@dacapo/tracer';
import { AppConfig } from '../config/app-config.js';
import type { ChatReply, ChatRequest } from './chat.js';
import { type ChatCompletion, chatCompletionSchema, toRequestBody } from './chat-completions.js';
import { ModelCallFailedException } from './errors.js';

const TIMEOUT_MS = 60_000;

/** Calls an OpenAI-compatible API over HTTP, and notes prompt, model and tokens on the span that is open. */
@Injectable()
export class ChatClient {
  private readonly provider: string;

  constructor(@Inject(AppConfig) private readonly config: AppConfig) {
    this.provider = new URL(config.model.baseUrl).host;
  }

  /** @throws ModelCallFailedException */
  async complete(request: ChatRequest): Promise<ChatReply> {
    const span = getCurrentSpan();
    span.setPrompt(request.messages.map(({ role, content }) => `[${role}]\n${content}`).join('\n\n'));

    const startedAt = performance.now();
    const completion = await this.send(toRequestBody(this.config.model.name, request));
    span.addContext({
      model: completion.model,
      provider: this.provider,
      inputTokens: completion.usage?.prompt_tokens ?? null,
      outputTokens: completion.usage?.completion_tokens ?? null,
      durationMs: Math.round(performance.now() - startedAt),
    });
    return toReply(completion);
  }

  private async send(body: Record<string, unknown>): Promise<ChatCompletion> {
    const response = await this.post(body);
    const answer = await response.text();
    if (!response.ok) {
      throw new ModelCallFailedException(
        `The model API answered ${response.status}: ${answer.slice(0, 500)}`,
        'Check OPENAI_API_KEY, OPENAI_MODEL and the account behind them.',
      );
    }
    const completion = chatCompletionSchema.safeParse(parseJson(answer));
    if (completion.success) return completion.data;
    throw new ModelCallFailedException(
      `The model API answered no chat completion: ${answer.slice(0, 500)}`,
      'Check that OPENAI_BASE_URL is an OpenAI-compatible API.',
      { cause: completion.error },
    );
  }

  private async post(body: Record<string, unknown>): Promise<Response> {
    const { baseUrl, apiKey } = this.config.model;
    try {
      return await fetch(`${baseUrl}/chat/completions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (cause) {
      throw new ModelCallFailedException(
        `No model API answers at ${baseUrl}`,
        'Check OPENAI_BASE_URL, or start the stand-in: `npm run stand-in-model -w sample-app`.',
        { cause },
      );
    }
  }
}

function toReply({ choices }: ChatCompletion): ChatReply {
  const message = choices[0]?.message;
  return {
    text: message?.content ?? '',
    toolCalls: (message?.tool_calls ?? []).map(({ id, function: { name, arguments: args } }) => ({
      id,
      name,
      arguments: args,
    })),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
