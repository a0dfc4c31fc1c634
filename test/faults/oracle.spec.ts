import { FaultServer } from './fault-server.js';
import { healthy } from './faults.js';
import { expectAllStored, expectNothingLost } from './oracle.js';
import { Hosts } from './run-host.js';

describe('The oracle of the faults', () => {
  let server: FaultServer;

  beforeEach(async () => {
    server = await FaultServer.start(healthy);
    server.stored.set('a', 1).set('b', 1);
  });

  afterEach(() => server.down());

  it('is content when each span is stored once or reported as dropped', () => {
    expectNothingLost(server, { sent: ['a', 'b', 'c'], reportedDropped: ['c'] });
  });

  it.each([
    ['is lost', { sent: ['a', 'b', 'c'], reportedDropped: [] }],
    ['comes from nowhere', { sent: ['a'], reportedDropped: [] }],
    ['is stored and reported as dropped', { sent: ['a', 'b'], reportedDropped: ['b'] }],
    ['was never sent, nor was any other', { sent: [], reportedDropped: [] }],
  ])('objects when a span %s', (_, account) => {
    expect(() => {
      expectNothingLost(server, account);
    }).toThrow();
  });

  it('objects when a span is stored twice', () => {
    server.stored.set('b', 2);
    expect(() => {
      expectNothingLost(server, { sent: ['a', 'b'], reportedDropped: [] });
    }).toThrow();
  });

  it('sees what SIGKILL costs a process that keeps no files', async () => {
    server.stored.clear();
    const hosts = new Hosts();
    // While nothing listens, records are in memory alone, however fast they would be sent.
    await server.down();
    const host = hosts.start({ url: server.url, end: 'stay', delivery: { spool: false } });
    await host.printed('staying');
    await host.kill('SIGKILL');
    expect(hosts.account().sent).toHaveLength(100);
    expect(() => {
      expectAllStored(server, hosts.account());
    }).toThrow();
    hosts.remove();
  });
});
