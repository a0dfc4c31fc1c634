import { inspect } from 'node:util';
import { hasMembers } from '@dacapo/protocol';
import { errorFromText, type ExternalOutcome } from '../../recording/external-attributes.js';
import { knownFacts, parsed, toArguments } from '../readers.js';
import type { AgentsSpan, AgentsSpanData, AgentsSpanError } from './agents-types.js';
import { readUsage } from '../openai/usage.js';
import { generationFacts, responseFacts } from './model-facts.js';

/** Facts of an ended Agents span, each from its actual place. */
export function readAgentsSpan({ spanData, error }: AgentsSpan): ExternalOutcome {
  return { ...(READERS[spanData.type] ?? readCustom)(spanData), ...(error && { error: readError(error) }) };
}

type Reader = (data: AgentsSpanData) => ExternalOutcome;

const READERS: Readonly<Record<string, Reader>> = {
  response: responseFacts,
  generation: generationFacts,
  task: () => ({}),
  turn: ({ agent_name }) => ({ contexts: knownFacts({ agent: agent_name }) }),
  agent: ({ handoffs, tools, output_type }) => ({ contexts: knownFacts({ tools, handoffs, output_type }) }),
  function: ({ input, output, mcp_data }) => ({
    input: toArguments(parsed(input === '' ? undefined : input)),
    output: parsed(output === '' ? undefined : output),
    messages: { mcp_data: parsed(mcp_data === '' ? undefined : mcp_data) },
  }),
  handoff: ({ from_agent, to_agent }) => ({ input: toArguments(from_agent), output: to_agent }),
  guardrail: ({ triggered }) => ({ output: { triggered } }),
  mcp_tools: ({ server, result }) => ({ input: toArguments(server), output: result }),
  transcription: ({ input, output, model }) => ({
    input: [summarizeMedia(input)],
    output,
    usage: readUsage(undefined, model),
  }),
  speech: ({ input, output, model }) => ({
    input: [input],
    output: summarizeMedia(output),
    usage: readUsage(undefined, model),
  }),
  speech_group: ({ input }) => ({ input: toArguments(input) }),
};

function readCustom({ data }: AgentsSpanData): ExternalOutcome {
  return { contexts: hasMembers(data) ? [data] : undefined };
}

/** Sound is not recorded, its size is. */
function summarizeMedia(media: unknown): unknown {
  if (!hasMembers(media)) return media;
  const { data, format } = media;
  return { format, base64Length: typeof data === 'string' ? data.length : undefined };
}

function readError({ message, data }: AgentsSpanError): Error {
  const detail = data?.['error'];
  return errorFromText('AgentsError', detail === undefined ? message : `${message}: ${detailText(detail)}`);
}

function detailText(detail: unknown): string {
  if (typeof detail === 'string') return detail;
  if (detail instanceof Error) return detail.message;
  try {
    return JSON.stringify(detail);
  } catch {
    return inspect(detail);
  }
}
