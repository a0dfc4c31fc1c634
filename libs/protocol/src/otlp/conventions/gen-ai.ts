import { type OtlpConvention, rows, settings, written } from '../attribute.js';

/**
 * The GenAI conventions of OpenTelemetry in all generations: up to 1.27 (`prompt_tokens`), to 1.36 (messages in events, `gen_ai.system`),
 * from 1.37 (messages in attributes, `gen_ai.provider.name`), `cache_creation`, and `cache_write` with modalities.
 */
export const GEN_AI: OtlpConvention = {
  name: 'GenAI',
  attributes: [
    ...written('type', 'gen_ai.operation.name'),
    ...written('agent', 'gen_ai.agent.name', 'gen_ai.workflow.name'),
    ...written('tool', 'gen_ai.tool.name'),
    ...written('model', 'gen_ai.request.model'),
    ...written('response_model', 'gen_ai.response.model'),
    ...written('provider', 'gen_ai.provider.name', 'gen_ai.system'),
    ...rows('service_tier', 'gen_ai.openai.response.service_tier', 'openai.response.service_tier'),
    ...rows('service_tier', 'gen_ai.openai.request.service_tier', 'openai.request.service_tier'),
    ...written('input_tokens', 'gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens'),
    ...written('output_tokens', 'gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens'),
    ...rows('total_tokens', 'gen_ai.usage.total_tokens'),
    ...written(
      'cached_input_tokens',
      'gen_ai.usage.cache_read.input_tokens',
      'gen_ai.usage.cache_read_input_tokens',
      'gen_ai.usage.cached_input_tokens',
      'gen_ai.usage.details.cache_read_tokens',
      'gen_ai.usage.details.cached_tokens',
    ),
    ...written(
      'cache_creation_input_tokens',
      'gen_ai.usage.cache_creation.input_tokens',
      'gen_ai.usage.cache_write.input_tokens',
      'gen_ai.usage.cache_creation_input_tokens',
      'gen_ai.usage.details.cache_write_tokens',
    ),
    ...written(
      'reasoning_tokens',
      'gen_ai.usage.reasoning.output_tokens',
      'gen_ai.usage.reasoning_tokens',
      'gen_ai.usage.details.reasoning_tokens',
    ),
    ...written('input_audio_tokens', 'gen_ai.usage.audio.input_tokens'),
    ...written('output_audio_tokens', 'gen_ai.usage.audio.output_tokens'),
    ...rows('cost_usd', 'gen_ai.usage.cost'),
    ...rows(
      'first_token_s',
      'gen_ai.response.time_to_first_chunk',
      'gen_ai.client.operation.time_to_first_chunk',
    ),
    ...rows('system', 'gen_ai.system_instructions'),
    ...written('input_messages', 'gen_ai.input.messages'),
    ...written('output_messages', 'gen_ai.output.messages'),
    ...written('arguments', 'gen_ai.tool.call.arguments'),
    ...written('result', 'gen_ai.tool.call.result'),
    ...rows('input', 'gen_ai.retrieval.query.text'),
    ...rows('output', 'gen_ai.retrieval.documents'),
    ...rows('session', 'gen_ai.conversation.id'),
    ...settings({
      'gen_ai.tool.definitions': 'tools',
      'gen_ai.response.finish_reasons': 'finish_reasons',
      'gen_ai.response.id': 'response_id',
      'gen_ai.output.type': 'output_type',
      'gen_ai.tool.call.id': 'tool_call_id',
      'gen_ai.tool.type': 'tool_type',
      'gen_ai.tool.description': 'tool_description',
      'gen_ai.agent.id': 'agent_id',
      'gen_ai.agent.description': 'agent_description',
      'gen_ai.agent.version': 'agent_version',
      'gen_ai.data_source.id': 'data_source_id',
      'gen_ai.prompt.name': 'prompt_name',
      'gen_ai.embeddings.dimension.count': 'dimensions',
    }),
    { name: 'gen_ai.request.*', field: 'settings' },
  ],
};

/** Attributes that describe the sender or the trace. */
export const GENERAL: OtlpConvention = {
  name: 'General',
  attributes: [
    ...written('session', 'session.id'),
    ...written('user', 'user.id', 'enduser.id'),
    ...rows('environment', 'deployment.environment.name', 'deployment.environment'),
    ...rows('release', 'service.version'),
    ...rows('error_type', 'error.type'),
  ],
};
