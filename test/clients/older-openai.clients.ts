import { describeOpenAi } from '../../libs/tracer/test/clients/openai/openai-contract.js';
import type { OpenAiUnderTest } from '../../libs/tracer/test/clients/openai/openai-under-test.js';

type OpenAI = OpenAiUnderTest['OpenAI'];

/** The versions are installed only in this folder, so their types are unknown. */
for (const version of ['v4', 'v5', 'v6']) {
  const { OpenAI } = jest.requireActual<{ OpenAI: OpenAI }>(`openai-${version}`);
  describeOpenAi({ version, OpenAI });
}
