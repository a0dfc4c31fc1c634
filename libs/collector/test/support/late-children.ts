import { fromW3cTraceId, newSpanId, newTraceId, toW3cTraceId } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { protobufRequest, type TestSpan } from './otlp-request.js';
import type { Tenant } from './service.js';

const HTTP = { 'http.request.method': 'POST' };

async function send(tenant: Tenant, ...spans: TestSpan[]): Promise<void> {
  await tenant
    .post(API.otlp.send.path)
    .set('content-type', 'application/x-protobuf')
    .serialize((raw: unknown) => raw as string)
    .send(protobufRequest(spans))
    .expect(200);
}

async function listParents(tenant: Tenant, traceId: string): Promise<Record<string, string | undefined>> {
  const { body } = await tenant.get(routePath(API.traces.get, { id: fromW3cTraceId(traceId) ?? '' }));
  const spans = body.spans as { id: string; parent_id?: string }[];
  return Object.fromEntries(spans.map(({ id, parent_id }) => [id, parent_id]));
}

/**
 * Sends an agent and skipped spans below it, then a model call below those, and checks that the call attaches to the agent.
 *
 * @param next the account as another collector sees it, or this one after a restart
 */
export async function expectLateChildrenAttached(first: Tenant, next: () => Promise<Tenant>): Promise<void> {
  const traceId = toW3cTraceId(newTraceId());
  const make = (parent: TestSpan | undefined, attributes: object): TestSpan => ({
    traceId,
    spanId: newSpanId(),
    attributes: { ...attributes },
    ...(parent && { parentSpanId: parent.spanId }),
  });
  const server = make(undefined, HTTP);
  const agent = make(server, { 'gen_ai.operation.name': 'invoke_agent' });
  const post = make(agent, HTTP);
  const connect = make(post, HTTP);
  const call = make(connect, { 'gen_ai.operation.name': 'chat' });
  const lateAgent = make(server, { 'gen_ai.operation.name': 'invoke_agent' });
  const lateParent = make(connect, HTTP);
  const earlyCall = make(lateParent, { 'gen_ai.operation.name': 'chat' });

  await send(first, connect, post, server);
  await send(first, agent, earlyCall);
  const second = await next();
  await send(second, call, lateAgent);
  // A stored span already has this one as its parent, so it is stored too, below the same agent.
  await send(second, lateParent);
  expect(await listParents(second, traceId)).toEqual({
    [agent.spanId]: undefined,
    [lateAgent.spanId]: undefined,
    [call.spanId]: agent.spanId,
    [earlyCall.spanId]: lateParent.spanId,
    [lateParent.spanId]: agent.spanId,
  });
}
