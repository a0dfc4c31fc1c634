import type { SpanType } from '@dacapo/protocol';
import type { SpanDefinitionOptions } from '../../recording/span-definition.js';
import type { AgentsSpanData } from './agents-types.js';

const TYPES: Readonly<Record<string, SpanType>> = {
  task: 'agent',
  agent: 'agent',
  response: 'llm',
  generation: 'llm',
  transcription: 'llm',
  speech: 'llm',
  function: 'function',
  mcp_tools: 'function',
  guardrail: 'guardrail',
  handoff: 'handoff',
};

const NAME_LENGTH = 200;

/**
 * How an Agents span is recorded, from what is known at its start: under `agents.<type>`, and its name if it has one.
 *
 * The prefix keeps a tool apart from a function of the application that has the same name as key.
 */
export function defineAgentsSpan({ type, name, turn }: AgentsSpanData): SpanDefinitionOptions {
  const kind = typeof type === 'string' ? type : 'custom';
  const label = typeof name === 'string' && name.trim() !== '' ? name.slice(0, NAME_LENGTH) : undefined;
  return {
    key: label === undefined ? `agents.${kind}` : `agents.${kind}.${label}`,
    name: label ?? (typeof turn === 'number' ? `turn ${turn}` : kind),
    type: TYPES[kind] ?? 'custom',
    ...(kind === 'function' && { kind: 'tool' }),
  };
}
