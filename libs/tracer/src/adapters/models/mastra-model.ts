import { type Members, toMembers, toList } from '@dacapo/protocol';
import { membersWithout } from '../readers.js';
import { AI_SDK_MODEL } from './ai-sdk-model.js';
import type { ModelKind } from './model-kind.js';

const STREAM = AI_SDK_MODEL.requests.find(({ key }) => key === 'ai.doStream');

/** What Mastra makes of a model of the AI SDK, or of a name such as `openai/gpt-4o`. Both of its methods return a stream. */
export const MASTRA_MODEL: ModelKind = {
  ...AI_SDK_MODEL,
  requests: AI_SDK_MODEL.requests.map((request) => ({
    ...request,
    ...STREAM,
    key: request.key,
    recordedRequest: (args, model) => withoutTimes(request.recordedRequest(args, model)),
    method: { ...request.method, ...STREAM?.method, path: request.method.path },
  })),
};

/** Mastra notes when a message was made, under options that no provider reads. */
function withoutTimes(recordedRequest: Members): Members {
  return {
    ...recordedRequest,
    prompt: toList(recordedRequest['prompt']).map((message) => {
      const { content } = toMembers(message);
      const own = withoutMastra(message);
      return Array.isArray(content) ? { ...own, content: content.map(withoutMastra) } : own;
    }),
  };
}

function withoutMastra(part: unknown): Members {
  const { providerOptions, ...rest } = toMembers(part);
  const others = membersWithout(providerOptions, 'mastra');
  return Object.keys(others).length === 0 ? rest : { ...rest, providerOptions: others };
}
