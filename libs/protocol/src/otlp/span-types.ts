import { SPAN_TYPES, type SpanKind, type SpanType } from '../records/span.js';

/** The type of a span, and its kind if the type does not imply it. */
export type TypeAndKind = readonly [type: SpanType, kind?: SpanKind];

/** Types by attribute value in lower case, for all conventions: they do not contradict each other. */
export const SPAN_TYPES_BY_NAME: Readonly<Record<string, TypeAndKind>> = {
  // Ours.
  ...Object.fromEntries(SPAN_TYPES.map((type) => [type, [type]] as const)),
  // `gen_ai.operation.name`.
  chat: ['llm'],
  generate_content: ['llm'],
  text_completion: ['llm'],
  completion: ['llm'],
  generate: ['llm'],
  embeddings: ['llm', 'embedding'],
  invoke_agent: ['agent'],
  create_agent: ['agent'],
  invoke_workflow: ['agent'],
  handle_conversation_turn: ['agent'],
  plan: ['agent'],
  agent_step: ['agent'],
  execute_tool: ['function', 'tool'],
  retrieval: ['function', 'retrieval'],
  search_memory: ['function', 'retrieval'],
  create_memory: ['function', 'tool'],
  update_memory: ['function', 'tool'],
  upsert_memory: ['function', 'tool'],
  delete_memory: ['function', 'tool'],
  // `openinference.span.kind`, and `traceloop.span.kind`, `llm.request.type`.
  embedding: ['llm', 'embedding'],
  reranker: ['llm', 'rerank'],
  rerank: ['llm', 'rerank'],
  retriever: ['function', 'retrieval'],
  tool: ['function', 'tool'],
  chain: ['custom'],
  prompt: ['custom'],
  evaluator: ['custom', 'evaluator'],
  unknown: ['custom'],
  workflow: ['custom'],
  task: ['custom'],
  // `ai.operationId`.
  'ai.generatetext': ['agent'],
  'ai.streamtext': ['agent'],
  'ai.toolcall': ['function', 'tool'],
  'ai.embed': ['custom', 'embedding'],
  'ai.embedmany': ['custom', 'embedding'],
  'ai.rerank': ['custom', 'rerank'],
};

/** A model request of the AI SDK is named after its operation, such as `ai.generateText.doGenerate`. */
const REQUEST = /^ai\.\w+\.do(\w+)$/i;
const REQUEST_KINDS: Readonly<Record<string, SpanKind>> = { embed: 'embedding', rerank: 'rerank' };

/** Senders use few names. */
const MOST_KNOWN = 1024;
const known = new Map<string, TypeAndKind | undefined>();

/** @returns `undefined` for a name that no convention has, such as one of a later version */
export function readSpanType(name: string): TypeAndKind | undefined {
  if (known.has(name)) return known.get(name);
  if (known.size >= MOST_KNOWN) known.clear();
  const type = findSpanType(name);
  known.set(name, type);
  return type;
}

function findSpanType(name: string): TypeAndKind | undefined {
  // In the AI SDK, `operation.name` ends with the function id.
  const [plain = ''] = name.trim().toLowerCase().split(' ');
  const request = REQUEST.exec(plain)?.[1];
  if (request !== undefined) {
    const kind = Object.hasOwn(REQUEST_KINDS, request) ? REQUEST_KINDS[request] : undefined;
    return kind === undefined ? ['llm'] : ['llm', kind];
  }
  if (Object.hasOwn(SPAN_TYPES_BY_NAME, plain)) return SPAN_TYPES_BY_NAME[plain];
  return plain.startsWith('ai.') ? ['custom'] : undefined;
}
