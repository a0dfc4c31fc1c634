import { toMembers } from '@dacapo/protocol';
import { membersWithout } from '../readers.js';

interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly inlineData?: { readonly data?: string };
  readonly functionCall?: object;
  readonly executableCode?: { readonly code?: string };
  readonly codeExecutionResult?: { readonly output?: string };
}

/** The classes of answers by their recorded names, so that a replay returns what the client would. */
class GenerateContentResponse {
  declare readonly candidates?: readonly { readonly content?: { readonly parts?: readonly Part[] } }[];

  get text(): string | undefined {
    const texts = this.parts.flatMap(({ text, thought }) =>
      typeof text === 'string' && thought !== true ? [text] : [],
    );
    return texts.length === 0 ? undefined : texts.join('');
  }

  get data(): string | undefined {
    const data = this.parts.flatMap(({ inlineData }) => inlineData?.data ?? []);
    if (data.length === 0) return undefined;
    return Buffer.concat(data.map((part) => Buffer.from(part, 'base64'))).toString('base64');
  }

  get functionCalls(): object[] | undefined {
    const calls = this.parts.flatMap(({ functionCall }) => functionCall ?? []);
    return calls.length === 0 ? undefined : calls;
  }

  get executableCode(): string | undefined {
    return this.parts.find(({ executableCode }) => executableCode !== undefined)?.executableCode?.code;
  }

  get codeExecutionResult(): string | undefined {
    const part = this.parts.find(({ codeExecutionResult }) => codeExecutionResult !== undefined);
    return part?.codeExecutionResult?.output;
  }

  private get parts(): readonly Part[] {
    return this.candidates?.[0]?.content?.parts ?? [];
  }
}

class EmbedContentResponse {
  declare readonly embeddings?: readonly unknown[];
}

class GenerateImagesResponse {
  declare readonly generatedImages?: readonly unknown[];
}

const CLASSES = {
  generateContent: GenerateContentResponse,
  embedContent: EmbedContentResponse,
  generateImages: GenerateImagesResponse,
};

/** The data of an answer, without its class. Each chunk of a streamed one has the headers of the one response; only the first is recorded with them. */
export function recordedAnswer(answer: unknown, isFurther: boolean): unknown {
  return membersWithout(answer, ...(isFurther ? ['sdkHttpResponse'] : []));
}

/** @param first the first chunk, of a further one */
export function revivedAnswer(kind: keyof typeof CLASSES, recorded: unknown, first?: unknown): object {
  const { sdkHttpResponse = toMembers(first)['sdkHttpResponse'] } = toMembers(recorded);
  const headers = sdkHttpResponse === undefined ? {} : { sdkHttpResponse };
  return Object.assign(new CLASSES[kind](), headers, toMembers(recorded));
}
