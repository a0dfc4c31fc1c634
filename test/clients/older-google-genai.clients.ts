import {
  describeGoogle,
  type GoogleUnderTest,
} from '../../libs/tracer/test/clients/google/google-contract.js';

type Module = Pick<GoogleUnderTest, 'GoogleGenAI'>;

/** The versions are installed here alone, so that their types are not known. */
for (const version of ['v0', 'v1', 'v2'])
  describeGoogle({
    version,
    ...jest.requireActual<Module>(`google-genai-${version}`),
    hasRetries: version !== 'v0',
    showsTries: version === 'v2',
  });
