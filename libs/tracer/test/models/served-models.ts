import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import {
  AIMessage,
  AIMessageChunk,
  type AIMessageFields,
  type BaseMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import OpenAI from 'openai';

type ChatMessage = OpenAI.Chat.ChatCompletionMessageParam;

export function newOpenAi(url: string): OpenAI {
  return new OpenAI({ apiKey: 'k', baseURL: `${url}/v1`, maxRetries: 0 });
}

/** A chat model as partner packages write theirs: it asks with the client of OpenAI. */
export class ServedChatModel extends BaseChatModel<
  { tools?: object[] } & BaseChatModel['ParsedCallOptions']
> {
  readonly client: OpenAI;

  constructor(url: string, client = newOpenAi(url)) {
    super({ maxRetries: 0 });
    this.client = client;
  }

  _llmType(): string {
    return 'served';
  }

  override bindTools(tools: object[]) {
    return this.withConfig({ tools: tools.map((tool) => convertToOpenAITool(tool as never)) });
  }

  override async _generate(messages: BaseMessage[], options: this['ParsedCallOptions']): Promise<ChatResult> {
    const answer = await this.client.chat.completions.create(
      { model: 'm', messages: messages.map(toOpenAi), tools: options.tools as never },
      { signal: options.signal },
    );
    const [{ message }] = answer.choices as [OpenAI.Chat.ChatCompletion.Choice];
    const calls = (message.tool_calls ?? []) as OpenAI.Chat.ChatCompletionMessageFunctionToolCall[];
    const { prompt_tokens = 0, completion_tokens = 0, total_tokens = 0 } = answer.usage ?? {};
    return {
      generations: [
        {
          text: message.content ?? '',
          // The structured output of the base class takes a chunk alone.
          message: new (options.tools === undefined ? AIMessage : AIMessageChunk)({
            content: message.content ?? '',
            tool_calls: calls.map(({ id, function: { name, arguments: args } }) => ({
              type: 'tool_call',
              id,
              name,
              args: JSON.parse(args) as Record<string, unknown>,
            })),
            usage_metadata: {
              input_tokens: prompt_tokens,
              output_tokens: completion_tokens,
              total_tokens,
            },
          } as AIMessageFields),
        },
      ],
    };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const stream = await this.client.chat.completions.create(
      { model: 'm', messages: messages.map(toOpenAi), stream: true },
      { signal: options.signal },
    );
    for await (const { choices } of stream) {
      const content = choices[0]?.delta.content ?? '';
      const chunk = new ChatGenerationChunk({ text: content, message: new AIMessageChunk({ content }) });
      yield chunk;
      await runManager?.handleLLMNewToken(content, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

function toOpenAi(message: BaseMessage): ChatMessage {
  const content = message.content as string;
  if (message instanceof ToolMessage) return { role: 'tool', content, tool_call_id: message.tool_call_id };
  if (!(message instanceof AIMessage))
    return { role: message.type === 'system' ? 'system' : 'user', content };
  const tool_calls = message.tool_calls?.map(({ id = '', name, args }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(args) },
  }));
  return { role: 'assistant', content, ...(tool_calls?.length ? { tool_calls } : {}) };
}

/** A language model as the AI SDK's providers write theirs, of any specification version. */
export class ServedLanguageModel {
  readonly provider = 'served.chat';
  readonly supportedUrls = {};

  constructor(
    private readonly url: string,
    readonly specificationVersion: string,
    readonly modelId = 'm',
    private readonly fail?: (status: number) => Error,
  ) {}

  async doGenerate({ prompt, tools, abortSignal }: CallOptions): Promise<object> {
    const answer = await this.ask({ prompt, tools, stream: false }, abortSignal);
    const body = (await answer.json()) as OpenAI.Chat.ChatCompletion;
    const { content, tool_calls } = body.choices[0]!.message;
    const calls = (tool_calls ?? []) as OpenAI.Chat.ChatCompletionMessageFunctionToolCall[];
    return {
      content: [
        ...(content ? [{ type: 'text', text: content }] : []),
        ...calls.map((call) => ({
          type: 'tool-call',
          toolCallId: call.id,
          toolName: call.function.name,
          input: call.function.arguments,
        })),
      ],
      finishReason: this.reason(calls.length > 0 ? 'tool-calls' : 'stop'),
      usage: this.usage(body.usage),
      warnings: [],
      response: { id: body.id, modelId: body.model, timestamp: new Date(0), headers: { a: 'b' }, body },
      request: { body: JSON.stringify(prompt) },
    };
  }

  async doStream({ prompt, abortSignal }: CallOptions): Promise<object> {
    const answer = await this.ask({ prompt, stream: true }, abortSignal);
    const chunks = (await answer.text()).split('\n\n').flatMap((line) => {
      const data = line.replace(/^data: /, '');
      return data.startsWith('{') ? [JSON.parse(data) as OpenAI.Chat.ChatCompletionChunk] : [];
    });
    const usage = chunks.find((chunk) => chunk.usage)?.usage;
    const parts = [
      { type: 'stream-start', warnings: [] },
      { type: 'response-metadata', id: 'r', modelId: 'm-1', timestamp: new Date(0) },
      { type: 'text-start', id: '0' },
      ...chunks.flatMap(({ choices }) => {
        const delta = choices[0]?.delta.content;
        return delta ? [{ type: 'text-delta', id: '0', delta }] : [];
      }),
      { type: 'text-end', id: '0' },
      { type: 'finish', finishReason: this.reason('stop'), usage: this.usage(usage) },
    ];
    return { stream: ReadableStream.from(parts) };
  }

  private async ask(
    { prompt, ...body }: CallOptions & { stream: boolean },
    signal?: AbortSignal,
  ): Promise<Response> {
    const messages = (prompt as { role: string; content: unknown }[]).map(({ role, content }) => ({
      role,
      ...(role === 'tool' ? { tool_call_id: 'c', content: 'mild' } : { content: JSON.stringify(content) }),
    }));
    const response = await this.send(
      { ...body, model: 'm', messages, ...(body.stream && { stream_options: { include_usage: true } }) },
      signal,
    );
    if (!response.ok) throw this.fail?.(response.status) ?? new Error(`answered with ${response.status}`);
    return response;
  }

  protected send(body: object, signal?: AbortSignal): Promise<Response> {
    return fetch(`${this.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(body),
      signal: signal ?? null,
    });
  }

  private reason(reason: string): unknown {
    return this.specificationVersion === 'v2' ? reason : { unified: reason, raw: reason };
  }

  private usage(usage: OpenAI.CompletionUsage | null | undefined): object {
    const { prompt_tokens: input = 0, completion_tokens: output = 0 } = usage ?? {};
    return this.specificationVersion === 'v2'
      ? { inputTokens: input, outputTokens: output, totalTokens: input + output }
      : {
          inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: output, text: output, reasoning: 0 },
        };
  }
}

/** A language model that asks with the client of OpenAI, as some applications write theirs. */
export class ClientLanguageModel extends ServedLanguageModel {
  constructor(
    private readonly client: OpenAI,
    specificationVersion: string,
  ) {
    super('', specificationVersion);
  }

  protected override async send(body: object): Promise<Response> {
    const request = body as OpenAI.Chat.ChatCompletionCreateParams;
    const answer: unknown = await this.client.chat.completions.create(request);
    if (request.stream !== true) return Response.json(answer);
    const chunks: string[] = [];
    for await (const chunk of answer as AsyncIterable<unknown>)
      chunks.push(`data: ${JSON.stringify(chunk)}\n\n`);
    return new Response(chunks.join(''));
  }
}

interface CallOptions {
  readonly prompt: unknown;
  readonly tools?: unknown;
  readonly abortSignal?: AbortSignal;
}
