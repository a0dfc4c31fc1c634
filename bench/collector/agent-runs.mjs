/** Records agent runs with runtimes that applications use, and sends them to a collector. */
import { Agent, OpenAIProvider, Runner, setTraceProcessors, tool } from '@openai/agents';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { Tracer } from '@dacapo/tracer';
import { startModel } from './agent-model.mjs';
import { toolDefinitions } from './agent-tools.mjs';

/**
 * The Agents SDK with the responses endpoint and with chat completions, wrapped clients in a hand-written loop, and
 * conversations without tools.
 */
export const KINDS = ['agents', 'agents-chat', 'openai', 'openai-responses', 'anthropic', 'chat'];

let seed = 7;
const random = () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff;
const oneOf = (list) => list[Math.floor(random() * list.length)];

export async function recordRuns({ collector, kind, shapes, traces, texts }) {
  const tracer = new Tracer({ apiKey: collector.apiKey, serviceUrl: collector.url });
  const makeText = (length) => {
    let text = '';
    while (text.length < length) text += `${oneOf(texts)}\n`;
    return text.slice(0, length);
  };
  const result = () => {
    const size = [200, 400, 800, 1600, 3200][Math.floor(random() * 5)];
    return {
      found: Math.floor(random() * 9),
      results: [{ id: `A-${Math.floor(random() * 1e6)}`, text: makeText(size) }],
    };
  };
  let plan = { step: 0, steps: 0, tools: [] };
  const model = await startModel(() => {
    plan.step++;
    const call = plan.step < plan.steps && oneOf(plan.tools);
    return call
      ? {
          text: makeText(120),
          call: { name: call.name, args: { [call.parameters.required[0]]: makeText(40) } },
        }
      : { text: makeText(500) };
  });
  setTraceProcessors([tracer.getAgentsTracingProcessor()]);
  const openai = tracer.wrapClient(new OpenAI({ apiKey: 'k', baseURL: `${model.url}/v1` }));
  const anthropic = tracer.wrapClient(new Anthropic({ apiKey: 'k', baseURL: model.url }));
  const systems = new Map();
  const run = {
    agents: (shape) => runAgent(shape, true),
    'agents-chat': (shape) => runAgent(shape, false),
    openai: async ({ system, tools, question }) => {
      const messages = [
        { role: 'system', content: system },
        { role: 'user', content: question },
      ];
      for (;;) {
        const { choices } = await openai.chat.completions.create({
          model: 'gpt-5-mini',
          messages,
          temperature: 0.2,
          tools: tools.map((definition) => ({ type: 'function', function: definition })),
        });
        const { message } = choices[0];
        messages.push(message);
        if (!message.tool_calls) return message.content;
        for (const call of message.tool_calls)
          messages.push({
            role: 'tool',
            tool_call_id: call.id,
            content: JSON.stringify(
              await useTool({ name: call.function.name, args: JSON.parse(call.function.arguments) }),
            ),
          });
      }
    },
    'openai-responses': async ({ system, tools, question }) => {
      const input = [{ role: 'user', content: question }];
      for (;;) {
        const response = await openai.responses.create({
          model: 'gpt-5-mini',
          instructions: system,
          input,
          tools: tools.map((definition) => ({ type: 'function', strict: true, ...definition })),
        });
        input.push(...response.output);
        const calls = response.output.filter(({ type }) => type === 'function_call');
        if (calls.length === 0) return response.output_text;
        for (const call of calls)
          input.push({
            type: 'function_call_output',
            call_id: call.call_id,
            output: JSON.stringify(await useTool({ name: call.name, args: JSON.parse(call.arguments) })),
          });
      }
    },
    anthropic: async ({ system, tools, question }) => {
      const messages = [{ role: 'user', content: question }];
      for (;;) {
        const { content } = await anthropic.messages.create({
          model: 'claude-sonnet-5',
          max_tokens: 1024,
          system,
          messages,
          tools: tools.map(({ parameters, ...definition }) => ({ ...definition, input_schema: parameters })),
        });
        messages.push({ role: 'assistant', content });
        const calls = content.filter(({ type }) => type === 'tool_use');
        if (calls.length === 0) return content[0].text;
        const results = [];
        for (const call of calls)
          results.push({
            type: 'tool_result',
            tool_use_id: call.id,
            content: JSON.stringify(await useTool({ name: call.name, args: call.input })),
          });
        messages.push({ role: 'user', content: results });
      }
    },
    chat: async ({ system, question, steps }) => {
      const messages = [
        { role: 'system', content: system },
        { role: 'user', content: question },
      ];
      const turns = 1 + (steps % 3);
      plan.steps = 0;
      for (let turn = 0; turn < turns; turn++) {
        const { choices } = await openai.chat.completions.create({ model: 'gpt-5-mini', messages });
        messages.push(choices[0].message, { role: 'user', content: makeText(150) });
      }
    },
  };
  const useTool = tracer.withSpan('tool', { type: 'function' }, async () => result());
  const provider = (useResponses) =>
    new OpenAIProvider({ apiKey: 'k', baseURL: `${model.url}/v1`, useResponses });
  const providers = { true: provider(true), false: provider(false) };
  const runAgent = async ({ system, tools, question, steps }, useResponses) => {
    const agent = new Agent({
      name: 'Support',
      instructions: system,
      model: await providers[useResponses].getModel('gpt-5-mini'),
      tools: tools.map((definition) => tool({ ...definition, strict: false, execute: async () => result() })),
    });
    const { finalOutput } = await new Runner({ workflowName: 'Support' }).run(agent, question, {
      maxTurns: steps + 1,
    });
    return finalOutput;
  };
  for (const { steps, tools: count, systemBytes } of shapes) {
    const tools = toolDefinitions(count);
    const system = systems.get(systemBytes) ?? makeText(systemBytes);
    systems.set(systemBytes, system);
    const answer = tracer.withSpan('answer', { type: 'agent' }, (question) =>
      run[kind]({ system, tools, question, steps }),
    );
    for (let trace = 0; trace < traces; trace++) {
      plan = { step: 0, steps, tools };
      await answer(makeText(200));
    }
    if (!(await tracer.flush(60_000)))
      throw new Error(`not all delivered: ${JSON.stringify(tracer.stats())}`);
  }
  await tracer.shutdown();
  model.close();
}
