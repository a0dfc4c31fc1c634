import {
  type AnthropicUnderTest,
  describeAnthropic,
} from '../../libs/tracer/test/clients/anthropic/anthropic-contract.js';

type Anthropic = AnthropicUnderTest['Anthropic'];

/** The versions are installed here alone, so that their types are not known. */
const load = (name: string): Anthropic => jest.requireActual<{ default: Anthropic }>(name).default;

/** Of 0.x each version may be another: one of the autumn of 2024, and the last. */
const VERSIONS: Record<string, AnthropicUnderTest['has']> = {
  'v0.32': { toolRunner: false, parse: false },
  v0: { toolRunner: true, parse: true },
};

for (const [version, has] of Object.entries(VERSIONS))
  describeAnthropic({ version, Anthropic: load(`anthropic-${version}`), has });
