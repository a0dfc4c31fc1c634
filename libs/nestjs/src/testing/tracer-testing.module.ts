import { type DynamicModule, Inject, Module } from '@nestjs/common';
import type { SpanRecord, TraceRecord } from '@dacapo/protocol';
import type { Tracer, TracerOptions } from '@dacapo/tracer';
import { createTestTracer } from '@dacapo/tracer/testing';
import { type BrandedTestTracer, brandTestTracer } from '../module/test-tracer.js';
import { defineModule } from '../module/define-module.js';
import { TracerModule } from '../module/tracer.module.js';
import type { RequestOptions } from '../request-options.js';
import { MODULE_OPTIONS_TOKEN, TEST_TRACER_TOKEN } from '../tokens.js';

/**
 * Keeps the records of an application under test in memory. Import it once, in any module: every `TracerModule` of the
 * application then uses its tracer. Code without a `TracerModule` gets this tracer too.
 *
 * `moduleRef.get(TracerTestingModule).spans` reads what was recorded.
 */
@Module({})
export class TracerTestingModule {
  constructor(@Inject(TEST_TRACER_TOKEN) private readonly test: BrandedTestTracer) {}

  /**
   * @param options of the tracer. `requests`, `exclude` and `enrich` apply where the application uses `forRootAsync`, because
   * its factory does not run in a test.
   */
  static forRoot(options: TracerOptions & RequestOptions = {}): DynamicModule {
    const { requests, exclude, enrich, ...tracerOptions } = options;
    const requestOptions: RequestOptions = { requests, exclude, enrich };
    return {
      module: TracerTestingModule,
      global: true,
      imports: [
        defineModule(TracerModule, { isFallback: true }, [
          { provide: MODULE_OPTIONS_TOKEN, useFactory: () => ({}) },
        ]),
      ],
      providers: [
        {
          provide: TEST_TRACER_TOKEN,
          useFactory: () => brandTestTracer(createTestTracer(tracerOptions), requestOptions),
        },
      ],
      exports: [TEST_TRACER_TOKEN],
    };
  }

  get tracer(): Tracer {
    return this.test.tracer;
  }

  /** The ended spans, in the order of their end. */
  get spans(): readonly SpanRecord[] {
    return this.test.spans;
  }

  /** Session, metadata and contexts of each trace, in the order of their first record. */
  get traces(): readonly TraceRecord[] {
    return this.test.traces;
  }

  /** Removes all spans and traces. */
  clear(): void {
    this.test.clear();
  }
}
