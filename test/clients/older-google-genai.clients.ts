import { cellsOf, describeCells } from '../../libs/tracer/test/clients/cells/cells-contract.js';
import { googleModels, newGoogle } from '../../libs/tracer/test/clients/cells/google-api.js';
import { describeGoogle, type GoogleUnderTest } from '../../libs/tracer/test/clients/google-contract.js';

type Module = Pick<GoogleUnderTest, 'GoogleGenAI'>;

/** The versions are installed here alone, so that their types are not known. */
for (const version of ['v0', 'v1', 'v2']) {
  const { GoogleGenAI } = jest.requireActual<Module>(`google-genai-${version}`);
  describeGoogle({ version, GoogleGenAI });
  describeCells({
    name: `@google/genai ${version}`,
    hasRetries: version !== 'v0',
    showsTries: version === 'v2',
    run: cellsOf((url) => newGoogle(GoogleGenAI, url), googleModels),
  });
}
