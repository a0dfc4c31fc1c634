import type { SpanDefinitionOptions } from '../../recording/span-definition.js';

const NAME_LENGTH = 200;
/** Operations that may take several steps and call tools. */
const AGENTS = new Set(['generateText', 'streamText']);

/** An operation, such as `ai.generateText`; under its `functionId` if the application gave one. */
export function defineOperation(operationId: unknown, functionId: unknown): SpanDefinitionOptions {
  const operation = labelOf(operationId, 'call').replace(/^ai\./, '');
  const name = labelOf(functionId, operation);
  const key = name === operation ? `ai.${operation}` : `ai.${operation}.${name}`;
  return { key, name, type: AGENTS.has(operation) ? 'agent' : 'custom' };
}

/** One request to a model. */
export function defineModelCall(modelId: unknown): SpanDefinitionOptions {
  return { key: 'ai.model', name: labelOf(modelId, 'model'), type: 'llm' };
}

export function defineToolCall(toolName: unknown): SpanDefinitionOptions {
  const name = labelOf(toolName, 'tool');
  return { key: `ai.tool.${name}`, name, type: 'function' };
}

function labelOf(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value.trim() !== '' ? value.slice(0, NAME_LENGTH) : otherwise;
}
