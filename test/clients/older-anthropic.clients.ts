import {
  type AnthropicUnderTest,
  describeAnthropic,
} from '../../libs/tracer/test/clients/anthropic-contract.js';
import { anthropicMessages, newAnthropic } from '../../libs/tracer/test/clients/cells/anthropic-api.js';
import { cellsOf, describeCells } from '../../libs/tracer/test/clients/cells/cells-contract.js';

type Anthropic = AnthropicUnderTest['Anthropic'];

/** The versions are installed here alone, so that their types are not known. */
const load = (name: string): Anthropic => jest.requireActual<{ default: Anthropic }>(name).default;

/** Of 0.x each version may be another: one of the autumn of 2024, and the last. */
const VERSIONS: Record<string, AnthropicUnderTest['has']> = {
  'v0.32': { toolRunner: false },
  v0: { toolRunner: true },
};

for (const [version, has] of Object.entries(VERSIONS)) {
  const Anthropic = load(`anthropic-${version}`);
  describeAnthropic({ version, Anthropic, has });
  // An aborted stream of the first one never ends.
  const without = has.toolRunner ? undefined : 'an abort in mid-stream';
  describeCells({
    name: `@anthropic-ai/sdk ${version}`,
    ...(without && { without }),
    run: cellsOf((url) => newAnthropic(Anthropic, url), anthropicMessages, without),
  });
}
