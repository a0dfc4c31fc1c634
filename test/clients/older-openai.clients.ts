import { describeOpenAi, type OpenAiUnderTest } from '../../libs/tracer/test/clients/openai-contract.js';

type OpenAI = OpenAiUnderTest['OpenAI'];

/** The versions are installed here alone, so that their types are not known. */
const load = (name: string): OpenAI => jest.requireActual<{ OpenAI: OpenAI }>(name).OpenAI;

const VERSIONS: Record<string, OpenAiUnderTest['has']> = {
  v4: { responses: true, parse: false },
  v5: { responses: true, parse: true },
  v6: { responses: true, parse: true },
};

for (const [version, has] of Object.entries(VERSIONS))
  describeOpenAi({ version, OpenAI: load(`openai-${version}`), has });
