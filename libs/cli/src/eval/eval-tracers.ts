import type { Tracer } from '@dacapo/tracer';
import type { CliIo } from '../io.js';
import { applicationTracer, loadTracerPackage, type TracerPackage } from '../replay/application-tracer.js';
import { TracerNotFoundError } from '../replay/errors.js';
import type { LoadedModule } from '../replay/load-module.js';
import { type ConnectionOptions, resolveUrl } from '../service/connection.js';

/** Finds or makes the tracer for each eval file: the application's, else a new one. */
export class EvalTracers {
  private readonly used = new Set<Tracer>();

  /** @throws UsageError when the address is not an http(s) URL */
  constructor(
    private readonly options: ConnectionOptions,
    private readonly env: CliIo['env'],
  ) {
    resolveUrl(options, env);
  }

  /**
   * The copy of `@dacapo/tracer` that the file resolves, and the tracer for it. Without an API key, a disabled tracer evaluates in
   * memory.
   *
   * @throws EntryExportError when the file makes several tracers
   */
  async of(entry: LoadedModule): Promise<{ tracer: Tracer; tracerPackage: TracerPackage }> {
    const tracerPackage = await findTracerPackage(entry);
    const tracer = applicationTracer(entry, tracerPackage, this.used) ?? this.make(tracerPackage);
    this.used.add(tracer);
    return { tracer, tracerPackage };
  }

  /** Sends pending records. */
  async close(): Promise<void> {
    for (const tracer of this.used) await tracer.shutdown();
  }

  private make({ Tracer }: TracerPackage): Tracer {
    const apiKey = (this.options.apiKey ?? this.env['TRACER_API_KEY'] ?? '').trim();
    if (apiKey === '') return new Tracer({ apiKey, enabled: false });
    return new Tracer({ apiKey, serviceUrl: resolveUrl(this.options, this.env) });
  }
}

/** The application's copy; the CLI's own for a file in a folder without one. */
async function findTracerPackage(entry: LoadedModule): Promise<TracerPackage> {
  try {
    return loadTracerPackage(entry);
  } catch (error) {
    if (!(error instanceof TracerNotFoundError)) throw error;
    const { Tracer } = await import('@dacapo/tracer');
    const { liveTracers, readTracedKey } = await import('@dacapo/tracer/internal');
    return { Tracer, liveTracers: liveTracers as TracerPackage['liveTracers'], readTracedKey };
  }
}
