import type { SpanKind } from '@dacapo/protocol';
import type { SpanDefinitionOptions } from '../../recording/span-definition.js';

const NAME_LENGTH = 200;
/** Operations that may take several steps and call tools. */
const AGENTS = new Set(['generateText', 'streamText']);

/** An operation, such as `ai.generateText`; under its `functionId` if the application gave one. */
export function defineOperation(operationId: unknown, functionId: unknown): SpanDefinitionOptions {
  const operation = toLabel(operationId, 'call').replace(/^ai\./, '');
  const name = toLabel(functionId, operation);
  const key = name === operation ? `ai.${operation}` : `ai.${operation}.${name}`;
  return { key, name, type: AGENTS.has(operation) ? 'agent' : 'custom', kind: findKind(operation) };
}

/** One request to a model. @param operation what it does, or its id: `ai.embed.doEmbed`, `embed 1`, `rerank` */
export function defineModelCall(modelId: unknown, operation: string): SpanDefinitionOptions {
  return { key: 'ai.model', name: toLabel(modelId, 'model'), type: 'llm', kind: findKind(operation) };
}

export function defineToolCall(toolName: unknown): SpanDefinitionOptions {
  const name = toLabel(toolName, 'tool');
  return { key: `ai.tool.${name}`, name, type: 'function', kind: 'tool' };
}

function findKind(operation: string): SpanKind | undefined {
  if (/^(?:ai\.)?embed/.test(operation)) return 'embedding';
  return /^(?:ai\.)?rerank/.test(operation) ? 'rerank' : undefined;
}

function toLabel(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value.trim() !== '' ? value.slice(0, NAME_LENGTH) : otherwise;
}
