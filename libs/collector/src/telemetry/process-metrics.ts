import { readdirSync } from 'node:fs';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, type Instrument } from './instruments.js';

/** Milliseconds between two looks at how late the event loop is. */
const RESOLUTION_MS = 20;

const LATE = 'How late the event loop was since the last scrape';

/** Of the process, under the names that Prometheus' client libraries have for them. */
export class ProcessMetrics {
  private readonly cpu = new Counter('process_cpu_seconds_total', 'CPU time, user and system.');
  private readonly resident = new Gauge('process_resident_memory_bytes', 'Resident memory.');
  private readonly started = new Gauge('process_start_time_seconds', 'When the process started, since 1970.');
  private readonly files = new Gauge('process_open_fds', 'Open files and sockets; on Linux.');
  private readonly heapUsed = new Gauge('nodejs_heap_size_used_bytes', 'JavaScript heap in use.');
  private readonly heapTotal = new Gauge('nodejs_heap_size_total_bytes', 'JavaScript heap taken.');
  private readonly external = new Gauge(
    'nodejs_external_memory_bytes',
    'Memory outside of the heap, as of buffers.',
  );
  private readonly version = new Gauge('nodejs_version_info', 'The version of Node.', ['version']);
  private readonly lagP50 = new Gauge('nodejs_eventloop_lag_p50_seconds', `${LATE}, in half of the time.`);
  private readonly lagP99 = new Gauge('nodejs_eventloop_lag_p99_seconds', `${LATE}, but for 1 %.`);
  private readonly lagMax = new Gauge('nodejs_eventloop_lag_max_seconds', `${LATE}, at most.`);
  private readonly delay: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  private lastCpuSeconds = 0;

  constructor() {
    this.version.set(1, { version: process.version });
    this.started.set(performance.timeOrigin / 1000);
  }

  /** Begins to look at the event loop; {@link stop} ends it. */
  start(): void {
    this.delay.enable();
  }

  stop(): void {
    this.delay.disable();
  }

  instruments(): Instrument[] {
    const { cpu, resident, started, files, heapUsed, heapTotal, external, version } = this;
    const lags = [this.lagP50, this.lagP99, this.lagMax];
    return [cpu, resident, started, files, heapUsed, heapTotal, external, version, ...lags];
  }

  /** Reads them all. */
  read(): void {
    const { user, system } = process.cpuUsage();
    const cpuSeconds = (user + system) / 1e6;
    this.cpu.add(cpuSeconds - this.lastCpuSeconds);
    this.lastCpuSeconds = cpuSeconds;
    const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
    this.resident.set(rss);
    this.heapUsed.set(heapUsed);
    this.heapTotal.set(heapTotal);
    this.external.set(external);
    this.readFiles();
    this.lagP50.set(lateSeconds(this.delay.percentile(50)));
    this.lagP99.set(lateSeconds(this.delay.percentile(99)));
    this.lagMax.set(lateSeconds(this.delay.max));
    this.delay.reset();
  }

  private readFiles(): void {
    if (process.platform === 'linux') this.files.set(readdirSync('/proc/self/fd').length);
  }
}

/** @param nanoseconds between two looks */
function lateSeconds(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1e3);
}
