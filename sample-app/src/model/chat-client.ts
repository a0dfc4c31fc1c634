import { Inject, Injectable } from '@nestjs/common';
import OpenAI from 'openai';
import { AppConfig } from '../config/app-config.js';
import type { ChatReply, ChatRequest } from './chat.js';
import { type ChatCompletion, chatCompletionSchema, toRequestBody } from './chat-completions.js';
import { ModelCallFailedException } from './errors.js';

/** Calls an OpenAI-compatible API with a traced client, which records prompt, model and tokens of each request. */
@Injectable()
export class ChatClient {
  constructor(
    @Inject(AppConfig) private readonly config: AppConfig,
    @Inject(OpenAI) private readonly openai: OpenAI,
  ) {}

  /** @throws ModelCallFailedException */
  async complete(request: ChatRequest): Promise<ChatReply> {
    const { model } = this.config;
    let answer: unknown;
    try {
      answer = await this.openai.chat.completions.create(toRequestBody(model.name, request));
    } catch (cause) {
      throw failure(cause, model.baseUrl);
    }
    const completion = chatCompletionSchema.safeParse(answer);
    if (completion.success) return toReply(completion.data);
    throw new ModelCallFailedException(
      'The model API did not return a chat completion',
      'Check that OPENAI_BASE_URL points to an OpenAI-compatible API.',
      { cause: completion.error },
    );
  }
}

function failure(cause: unknown, baseUrl: string): ModelCallFailedException {
  if (cause instanceof OpenAI.APIError && cause.status !== undefined) {
    return new ModelCallFailedException(
      `The model API returned ${cause.message.slice(0, 500)}`,
      'Check OPENAI_API_KEY, OPENAI_MODEL and their account.',
      { cause },
    );
  }
  return new ModelCallFailedException(
    `No model API responds at ${baseUrl}`,
    'Check OPENAI_BASE_URL, or start the stand-in: `npm run stand-in-model -w sample-app`.',
    { cause },
  );
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
