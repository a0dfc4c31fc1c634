import { describeCells, createCells } from '../cells/cells-contract.js';
import { newOpenAi, openAiChat, openAiResponses } from '../cells/openai-apis.js';
import { describeReplay } from '../cells/replay-contract.js';
import { describeChat } from './chat-contract.js';
import { describeHelpers } from './helpers-contract.js';
import { describeMethods } from './methods-contract.js';
import type { OpenAiUnderTest } from './openai-under-test.js';
import { describeOpenAiReplay } from './replay-contract.js';
import { describeStreams } from './streams-contract.js';

/** What a wrapped client of one version does, beside what a bare one does. */
export function describeOpenAi(under: OpenAiUnderTest): void {
  const newClient = (url: string) => newOpenAi(under.OpenAI, url);
  for (const [api, toApi] of Object.entries({ chat: openAiChat, responses: openAiResponses })) {
    describeCells({ name: `openai ${under.version}, ${api}`, run: createCells(newClient, toApi) });
    describeReplay(`openai ${under.version}, ${api}`, newClient, toApi);
  }
  describeChat(under);
  describeStreams(under);
  describeHelpers(under);
  describeMethods(under);
  describeOpenAiReplay(under);
}
