import { type Model, OpenAIProvider, Runner, setTraceProcessors, setTracingDisabled } from '@openai/agents';
import type { TracerOptions } from '../../../src/options/tracer-options.js';
import { createTestTracer, type TestTracer } from '../../../src/testing.js';
import type { ModelReply } from '../../model-server/model-reply.js';
import type { ModelServer } from '../../model-server/model-server.js';

export interface AgentsUnderTest extends TestTracer {
  /** Asks the responses endpoint. */
  readonly responses: Model;
  /** Asks the chat completions endpoint. */
  readonly chat: Model;
  readonly runner: Runner;
}

/** A fresh tracer, registered as the only processor, and models that ask the stand-in server. */
export async function agentsUnderTest(
  server: ModelServer,
  options: TracerOptions = {},
): Promise<AgentsUnderTest> {
  // Under NODE_ENV=test the package traces nothing unless told to.
  setTracingDisabled(false);
  const test = createTestTracer(options);
  setTraceProcessors([test.tracer.getAgentsTracingProcessor()]);
  const provider = (useResponses: boolean): OpenAIProvider =>
    new OpenAIProvider({ apiKey: 'sk-secret', baseURL: `${server.url}/v1`, useResponses });
  return {
    ...test,
    responses: await provider(true).getModel('gpt-4.1-mini'),
    chat: await provider(false).getModel('gpt-4o-mini'),
    runner: new Runner({ workflowName: 'Support' }),
  };
}

/** A failure that the provider's client does not try again. */
export const FAILURE: ModelReply = { status: 500, headers: { 'x-should-retry': 'false' } };
