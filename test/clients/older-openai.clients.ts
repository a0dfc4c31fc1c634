import { cellsOf, describeCells } from '../../libs/tracer/test/clients/cells/cells-contract.js';
import { newOpenAi, openAiChat, openAiResponses } from '../../libs/tracer/test/clients/cells/openai-apis.js';
import { describeOpenAi, type OpenAiUnderTest } from '../../libs/tracer/test/clients/openai-contract.js';

type OpenAI = OpenAiUnderTest['OpenAI'];

/** The versions are installed here alone, so that their types are not known. */
const load = (name: string): OpenAI => jest.requireActual<{ OpenAI: OpenAI }>(name).OpenAI;

const VERSIONS: Record<string, OpenAiUnderTest['has']> = {
  v4: { responses: true, parse: false },
  v5: { responses: true, parse: true },
  v6: { responses: true, parse: true },
};

for (const [version, has] of Object.entries(VERSIONS)) {
  const OpenAI = load(`openai-${version}`);
  describeOpenAi({ version, OpenAI, has });
  for (const [api, apiOf] of Object.entries({ chat: openAiChat, responses: openAiResponses }))
    describeCells({
      name: `openai ${version}, ${api}`,
      run: cellsOf((url) => newOpenAi(OpenAI, url), apiOf),
    });
}
