import {
  describeGoogle,
  type GoogleUnderTest,
} from '../../libs/tracer/test/clients/google/google-contract.js';

type Module = Pick<GoogleUnderTest, 'GoogleGenAI'>;

/** The versions are installed only in this folder, so their types are unknown. */
for (const version of ['v0', 'v1', 'v2'])
  describeGoogle({
    version,
    ...jest.requireActual<Module>(`google-genai-${version}`),
    hasRetries: version !== 'v0',
    showsTries: version === 'v2',
  });
