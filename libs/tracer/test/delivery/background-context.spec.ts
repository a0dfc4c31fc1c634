import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Tracer } from '../../src/tracer.js';
import { RecordingService } from './recording-service.js';

const CHANNEL = 'http.client.request.start';

describe('a request of the delivery', () => {
  it('runs in no context of others, neither of who recorded nor of who made the tracer', async () => {
    const service = await RecordingService.start();
    const others = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    const note = (): void => void seen.push(others.getStore());
    subscribe(CHANNEL, note);

    const tracer = others.run('start of the application', () => {
      return new Tracer({ apiKey: 'key', serviceUrl: service.url, delivery: { spool: false } });
    });
    others.run('a request', () => tracer.withSpan('k', () => 1)());
    await others.run('a hook', () => tracer.flush());
    await others.run('the end', () => tracer.shutdown());
    unsubscribe(CHANNEL, note);

    expect(seen.length).toBeGreaterThan(0);
    expect(seen.filter((store) => store !== undefined)).toEqual([]);
    await service.stop();
  });
});
