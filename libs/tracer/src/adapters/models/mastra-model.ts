import { type Members, toMembers, toList } from '@dacapo/protocol';
import { membersWithout } from '../readers.js';
import { AI_SDK_MODEL } from './ai-sdk-model.js';
import type { ModelKind } from './model-kind.js';

const STREAM = AI_SDK_MODEL.requests.find(({ key }) => key === 'ai.doStream');

/** Mastra's wrapper of an AI SDK model, or of a name such as `openai/gpt-4o`. Both of its methods return a stream. */
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

/** Removes the creation times of messages, which Mastra stores in options that no provider reads. */
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
