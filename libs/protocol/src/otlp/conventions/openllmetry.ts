import { type OtlpConvention, rows, settings } from '../attribute.js';

/** OpenLLMetry by Traceloop, where it differs from the GenAI conventions. */
export const OPENLLMETRY: OtlpConvention = {
  name: 'OpenLLMetry',
  attributes: [
    ...rows('type', 'traceloop.span.kind', 'llm.request.type'),
    ...rows('entity', 'traceloop.entity.name'),
    ...rows('total_tokens', 'llm.usage.total_tokens'),
    ...rows('reasoning_tokens', 'llm.usage.reasoning_tokens'),
    ...rows('input_messages', 'gen_ai.prompt.*', 'llm.prompts', 'gen_ai.prompt'),
    ...rows('output_messages', 'gen_ai.completion.*', 'gen_ai.completion'),
    ...rows('input', 'traceloop.entity.input'),
    ...rows('output', 'traceloop.entity.output'),
    ...rows('session', 'traceloop.association.properties.session_id'),
    ...rows('user', 'traceloop.association.properties.user_id'),
    { name: 'traceloop.association.properties.*', field: 'metadata' },
    ...settings({
      'llm.request.functions.*': 'tools',
      'llm.response.finish_reason': 'finish_reason',
      'llm.response.stop_reason': 'stop_reason',
      'llm.is_streaming': 'is_streaming',
      'llm.headers': 'headers',
      'llm.top_k': 'top_k',
      'llm.chat.stop_sequences': 'stop_sequences',
      'llm.frequency_penalty': 'frequency_penalty',
      'llm.presence_penalty': 'presence_penalty',
      'llm.user': 'user',
      'gen_ai.openai.api_base': 'api_base',
      'traceloop.workflow.name': 'workflow',
      'traceloop.entity.path': 'entity_path',
      'traceloop.entity.version': 'entity_version',
    }),
  ],
};
