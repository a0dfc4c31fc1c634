import { type DynamicModule, Inject, Module } from '@nestjs/common';
import type { SpanRecord, TraceRecord } from '@dacapo/protocol';
import type { Tracer, TracerOptions } from '@dacapo/tracer';
import { createTestTracer } from '@dacapo/tracer/testing';
import { type BrandedTestTracer, brandTestTracer } from '../module/test-tracer.js';
import { defineModule } from '../module/define-module.js';
import { TracerModule } from '../module/tracer.module.js';
import type { RequestOptions } from '../requests/request-options.js';
import { MODULE_OPTIONS, TEST_TRACER } from '../tokens.js';

/**
 * Keeps the records of an application under test in memory: import it once, anywhere. Every `TracerModule` of the
 * application then uses its tracer, and an application or a lone service without one gets one.
 *
 * `moduleRef.get(TracerTestingModule).spans` reads what was recorded.
 */
@Module({})
export class TracerTestingModule {
  constructor(@Inject(TEST_TRACER) private readonly test: BrandedTestTracer) {}

  /**
   * @param options of the tracer; `requests`, `exclude` and `enrich` are used where the application makes its options with
   * `forRootAsync`, whose factory a test does not run
   */
  static forRoot(options: TracerOptions & RequestOptions = {}): DynamicModule {
    const { requests, exclude, enrich, ...tracerOptions } = options;
    const requestOptions: RequestOptions = { requests, exclude, enrich };
    return {
      module: TracerTestingModule,
      global: true,
      imports: [
        defineModule(TracerModule, { isFallback: true }, [
          { provide: MODULE_OPTIONS, useFactory: () => ({}) },
        ]),
      ],
      providers: [
        {
          provide: TEST_TRACER,
          useFactory: () => brandTestTracer(createTestTracer(tracerOptions), requestOptions),
        },
      ],
      exports: [TEST_TRACER],
    };
  }

  get tracer(): Tracer {
    return this.test.tracer;
  }

  /** The spans that ended, in the order they ended in. */
  get spans(): readonly SpanRecord[] {
    return this.test.spans;
  }

  /** Session, metadata and contexts of traces, in the order in which they came first. */
  get traces(): readonly TraceRecord[] {
    return this.test.traces;
  }

  /** Forgets both. */
  clear(): void {
    this.test.clear();
  }
}
