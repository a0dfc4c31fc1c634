import type Anthropic from '@anthropic-ai/sdk';
import type { GoogleGenAI } from '@google/genai';
import type OpenAI from 'openai';
import '../../libs/tracer/test/clients/outside-fetch.js';
import {
  describeAnthropicExamples,
  describeGoogleExamples,
  describeOpenAiExamples,
} from '../../libs/tracer/test/clients/examples/examples-contract.js';

type Class<C> = new (options: object) => C;

// The versions are installed only in this folder, so their types are unknown.

/** Examples with methods that a version lacks. */
const MISSING: Record<string, readonly string[]> = {
  'openai v4': [
    'tool-call-helpers, streamed',
    'parsing-run-tools',
    'parsing',
    'parsing-stream',
    'parsing-tools',
    'parsing-tools-stream',
    'stream, and logprobs',
    'stream-to-client',
    'images/image-stream',
    'a listener that throws',
  ],
  'anthropic v0.32': [
    'count-tokens',
    'structured-outputs, by a schema',
    'structured-outputs-raw',
    'tools-helpers-zod',
    'tools-helpers-advanced',
    'tools-helpers-advanced-streaming',
    'mcp servers of a beta route',
  ],
};

for (const version of ['v4', 'v5', 'v6']) {
  const { OpenAI } = jest.requireActual<{ OpenAI: Class<OpenAI> }>(`openai-${version}`);
  describeOpenAiExamples(version, OpenAI, MISSING[`openai ${version}`]);
}
for (const version of ['v0.32', 'v0']) {
  const { default: Anthropic } = jest.requireActual<{ default: Class<Anthropic> }>(`anthropic-${version}`);
  describeAnthropicExamples(version, Anthropic, MISSING[`anthropic ${version}`]);
}
for (const version of ['v0', 'v1', 'v2'])
  describeGoogleExamples(
    version,
    jest.requireActual<{ GoogleGenAI: Class<GoogleGenAI> }>(`google-genai-${version}`).GoogleGenAI,
  );
