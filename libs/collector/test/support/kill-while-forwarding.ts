import { toW3cTraceId } from '@dacapo/protocol';
import { OtlpReceiver } from '../../../../test/support/otlp-receiver.js';
import { until } from '../../../../test/support/until.js';
import { span, spansToNdjson } from './records.js';
import { createTenant } from './service.js';
import { type CollectorProcess, kill, spawnCollector } from './spawn-collector.js';

const toName = (traceId: string, spanId: string): string => `${traceId}/${spanId}`;

/**
 * Sends spans to collectors that forward them, and kills one of them in the middle of it, several times.
 *
 * @param where the data that they share
 * @param collectors how many run at a time
 * @returns acknowledged spans that the receiver did not get once all collectors were left alone
 */
export async function killWhileForwarding(
  where: string,
  { kills, collectors }: { kills: number; collectors: number },
): Promise<string[]> {
  let requests = 0;
  // Every third request fails, so that something always waits.
  const receiver = await OtlpReceiver.start(() =>
    ++requests % 3 === 0 ? { status: 503, headers: { 'retry-after': '0' } } : {},
  );
  const spawn = (): Promise<CollectorProcess> =>
    spawnCollector(where, [], 'ignore', { forwardOtlp: { url: receiver.url } });
  const running = [await spawn()];
  const apiKey = running[0]?.apiKey ?? '';
  while (running.length < collectors) running.push(await spawn());
  const acknowledged: string[] = [];

  const sendUntilKilled = async ({ url }: CollectorProcess): Promise<void> => {
    for (;;) {
      const batch = Array.from({ length: 10 }, () => span());
      try {
        const { status } = await createTenant(url, '', apiKey).ingest(spansToNdjson(batch));
        if (status === 200)
          acknowledged.push(...batch.map(({ trace_id, id }) => toName(toW3cTraceId(trace_id), id)));
      } catch {
        return;
      }
    }
  };

  for (let round = 0; round < kills; round++) {
    const [victim] = running.splice(0, 1);
    if (victim === undefined) throw new Error('No collector runs');
    const sending = sendUntilKilled(victim);
    const [received, sent] = [receiver.spans.length, acknowledged.length];
    await until(() => receiver.spans.length >= received + 50 && acknowledged.length >= sent + 50);
    await kill(victim.child);
    await sending;
    running.push(await spawn());
  }
  const arrived = (): Set<string> =>
    new Set(receiver.spans.map(({ traceId, spanId }) => toName(traceId, spanId)));
  const readyUrl = `${running[0]?.url}/health/ready`;
  await until(async () => {
    const ready = (await (await fetch(readyUrl)).json()) as { forwarding: { waiting_spans: number } };
    return ready.forwarding.waiting_spans === 0;
  });
  for (const { child } of running) await kill(child);
  await receiver.close();
  expect(receiver.problems).toEqual([]);
  expect(acknowledged.length).toBeGreaterThanOrEqual(kills * 50);
  const got = arrived();
  return acknowledged.filter((name) => !got.has(name));
}
