import { setTimeout as pause } from 'node:timers/promises';
import type { DeliveryOptions } from '@dacapo/tracer';
import { type Fault, FaultServer } from './fault-server.js';
import { healthy } from './faults.js';
import { Hosts, type Outcome, type Scenario } from './run-host.js';
import { TracedHost } from './traced-host.js';

/** Resolves when `condition` is true. Otherwise the test times out. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(5);
}

/** A faulty service and processes that record to it, created for each test of a block. */
export class FaultScene {
  server!: FaultServer;
  hosts!: Hosts;

  static forEachTest(fault: () => Fault = () => healthy): FaultScene {
    const scene = new FaultScene();
    beforeEach(async () => {
      scene.server = await FaultServer.start(fault());
      scene.hosts = new Hosts();
    });
    afterEach(async () => {
      scene.hosts.remove();
      await scene.server.down();
    });
    return scene;
  }

  /** Runs a process that records nothing and only sends what earlier ones left, however long a busy machine takes. */
  async nextProcess(end = 'flush and shut down'): Promise<void> {
    await this.hosts.run({ url: this.server.url, calls: 0, end });
  }

  /** Runs the host with and without a tracer. Output and exit must be the same. */
  async expectSameEnd(scenario: Omit<Scenario, 'url'>): Promise<{ traced: Outcome; addedMs: number }> {
    const [traced, untraced] = await Promise.all([
      this.hosts.run({ ...scenario, url: this.server.url }),
      this.hosts.run({ ...scenario, url: this.server.url, traced: false }),
    ]);
    const visible = ({ code, signal, stdout, stderr }: Outcome) => ({ code, signal, stdout, stderr });
    expect(visible(traced)).toEqual(visible(untraced));
    return { traced, addedMs: traced.durationMs - untraced.durationMs };
  }
}

/** A faulty service and an application in the test process, created for each test of a block. */
export class LocalFaultScene {
  server!: FaultServer;
  host!: TracedHost;

  static forEachTest(delivery: DeliveryOptions): LocalFaultScene {
    const scene = new LocalFaultScene();
    beforeEach(async () => {
      scene.server = await FaultServer.start(healthy);
      scene.host = new TracedHost(scene.server, delivery);
    });
    afterEach(async () => {
      scene.host.expectBalance();
      await scene.host.end();
      await scene.server.down();
    });
    return scene;
  }
}
