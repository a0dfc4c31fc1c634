import { setTimeout as sleep } from 'node:timers/promises';
import { CollectorProcess } from './collector-process.js';
import { expectAllStored } from './oracle.js';
import { Hosts, type RunningHost, type Scenario } from './run-host.js';
import { TcpProxy } from './tcp-proxy.js';

/** About one second of work in forty batches, then time to deliver them. */
const LOAD = { calls: 2000, bytes: 500, callsATick: 40, pauseMs: 20 };
const PATIENT = { maxBatchRecords: 50 };

/** A collector behind a faulty connection, and processes that record to it. */
export class CollectorScene {
  collector!: CollectorProcess;
  proxy!: TcpProxy;
  hosts!: Hosts;

  /** Creates a new scene for each test of the block. */
  static forEachTest(): CollectorScene {
    const scene = new CollectorScene();
    beforeEach(async () => {
      [scene.collector, scene.proxy] = await Promise.all([CollectorProcess.start(), TcpProxy.start()]);
      scene.mend();
      scene.hosts = new Hosts();
    });
    afterEach(async () => {
      scene.hosts.remove();
      await Promise.all([scene.collector.remove(), scene.proxy.stop()]);
    });
    return scene;
  }

  startHost({ delivery, ...scenario }: Partial<Scenario> = {}): RunningHost {
    const { url } = this.proxy;
    const { apiKey } = this.collector;
    // On shutdown, records for an unreachable service stay in files.
    const end = 'flush and shut down';
    return this.hosts.start({
      ...LOAD,
      url,
      apiKey,
      end,
      delivery: { ...PATIENT, ...delivery },
      ...scenario,
    });
  }

  /** Waits for this many further requests. */
  async moreRequests(count: number): Promise<void> {
    const until = this.proxy.requests + count;
    while (this.proxy.requests < until) await sleep(2);
  }

  mend(): void {
    this.proxy.target = this.collector.port;
  }

  async killCollector(): Promise<void> {
    await this.collector.kill();
    await this.collector.up();
    this.mend();
  }

  async expectAllInTheDatabase(killed = false): Promise<void> {
    expectAllStored(await this.collector.stored(), this.hosts.account(killed));
  }
}
