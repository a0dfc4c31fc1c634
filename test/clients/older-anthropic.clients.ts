import {
  type AnthropicUnderTest,
  describeAnthropic,
} from '../../libs/tracer/test/clients/anthropic/anthropic-contract.js';

type Anthropic = AnthropicUnderTest['Anthropic'];

/** The versions are installed only in this folder, so their types are unknown. */
const load = (name: string): Anthropic => jest.requireActual<{ default: Anthropic }>(name).default;

/** Each 0.x version may have breaking changes, so one of autumn 2024 and the last one are tested. */
const VERSIONS: Record<string, AnthropicUnderTest['has']> = {
  'v0.32': { toolRunner: false, parse: false },
  v0: { toolRunner: true, parse: true },
};

for (const [version, has] of Object.entries(VERSIONS))
  describeAnthropic({ version, Anthropic: load(`anthropic-${version}`), has });
