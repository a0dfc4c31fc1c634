import {
  type DynamicModule,
  Inject,
  Module,
  type NestModule,
  type OnApplicationShutdown,
  type Provider,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { AccountService } from './accounts/account-service.js';
import { ApiKeyService } from './accounts/api-key-service.js';
import { AuditLog } from './accounts/audit-log.js';
import { Authenticator } from './accounts/authenticator.js';
import { BrowserSessions } from './accounts/browser-sessions.js';
import { MemberService } from './accounts/member-service.js';
import { LastUses } from './accounts/last-uses.js';
import { Clock } from './clock.js';
import { ExportService } from './export/export-service.js';
import { SpanForwarder } from './forwarding/span-forwarder.js';
import { FunctionService } from './functions/function-service.js';
import { DatasetService } from './datasets/dataset-service.js';
import { ItemCopies } from './datasets/item-copies.js';
import { DeletionRunner } from './deletions/deletion-runner.js';
import { DeletionService } from './deletions/deletion-service.js';
import { DeletionScrubber } from './deletions/deletion-scrubber.js';
import { DeletionSteps } from './deletions/deletion-steps.js';
import { RetentionService } from './deletions/retention-service.js';
import { RequestMemoryInterceptor } from './http/body/request-memory.interceptor.js';
import { AccessGuard } from './http/access/access.guard.js';
import { AccountsController } from './http/controllers/accounts.controller.js';
import { ApiKeysController } from './http/controllers/api-keys.controller.js';
import { AuditLogController } from './http/controllers/audit-log.controller.js';
import { BrowserSessionsController } from './http/controllers/browser-sessions.controller.js';
import { CallsController } from './http/controllers/calls.controller.js';
import { DatasetsController } from './http/controllers/datasets.controller.js';
import { DeletionsController } from './http/controllers/deletions.controller.js';
import { DeveloperController } from './http/controllers/developer.controller.js';
import { ExportController } from './http/controllers/export.controller.js';
import { FunctionsController } from './http/controllers/functions.controller.js';
import { HealthController } from './http/controllers/health.controller.js';
import { IndexesController } from './http/controllers/indexes.controller.js';
import { IngestController } from './http/controllers/ingest.controller.js';
import { MediaController } from './http/controllers/media.controller.js';
import { LiveController } from './http/controllers/live.controller.js';
import { MembersController } from './http/controllers/members.controller.js';
import { ShareLinksController } from './http/controllers/share-links.controller.js';
import { SharedController } from './http/controllers/shared.controller.js';
import { OtlpController } from './http/controllers/otlp.controller.js';
import { RetentionController } from './http/controllers/retention.controller.js';
import { ScoresController } from './http/controllers/scores.controller.js';
import { SignInController } from './http/controllers/sign-in.controller.js';
import { TestRunsController } from './http/controllers/test-runs.controller.js';
import { TracesController } from './http/controllers/traces.controller.js';
import { DashboardController } from './http/dashboard/dashboard.controller.js';
import { DashboardFiles } from './http/dashboard/dashboard-files.js';
import { ErrorFilter } from './http/error.filter.js';
import { LargeAnswerInterceptor } from './http/large-answer.interceptor.js';
import { OpenApiController } from './http/openapi/openapi.controller.js';
import { QueryGuard } from './http/routes/query.guard.js';
import { prepareFastify } from './http/fastify-options.js';
import { RequestObserver } from './http/request-observer.js';
import { IndexService } from './indexes/index-service.js';
import { ContextService } from './indexes/context-service.js';
import { Embeddings } from './indexes/embeddings/embeddings.js';
import { DocumentReader } from './indexes/documents/document-reader.js';
import { IndexSearcher } from './indexes/search/index-searcher.js';
import { IngestService } from './ingest/ingest-service.js';
import { LiveChanges } from './live/live-changes.js';
import { CollectorLogger } from './logger.js';
import { ChangesController } from './http/controllers/changes.controller.js';
import { CostsController } from './http/controllers/costs.controller.js';
import { DecisionsController } from './http/controllers/decisions.controller.js';
import { MetricsController } from './http/controllers/metrics.controller.js';
import { ChangesService } from './changes/changes-service.js';
import { MediaService } from './media/media-service.js';
import { MetricsService } from './metrics/metrics-service.js';
import { PriceList } from './prices/price-list.js';
import { MemoryBudget } from './memory/memory-budget.js';
import { MAIN_THREAD, Turns } from './memory/turns.js';
import { type CollectorOptions, ResolvedOptions } from './options.js';
import { OtlpService } from './otlp/otlp-service.js';
import { SpanReader } from './otlp/span-reader.js';
import { AcceptanceService } from './runs/acceptance-service.js';
import { BaselineService } from './runs/baseline-service.js';
import { DatasetItems } from './runs/dataset-items.js';
import { DecisionService } from './runs/decision-service.js';
import { IgnoredItems } from './runs/ignored-items.js';
import { RunComparisonService } from './runs/run-comparison-service.js';
import { RunGridService } from './runs/run-grid-service.js';
import { RunOutcomes } from './runs/run-outcomes.js';
import { TestRunItemService } from './runs/test-run-item-service.js';
import { TestRunService } from './runs/test-run-service.js';
import { ScoreService } from './scores/score-service.js';
import { ServiceAddress } from './service-address.js';
import { ShareLinkService } from './sharing/share-link-service.js';
import { SharedReader } from './sharing/shared-reader.js';
import { Locks, OwnLocks } from './storage/coordination/locks.js';
import { OwnRateLimits, RateLimits } from './storage/coordination/rate-limits.js';
import { MetaStore } from './storage/meta/meta-store.js';
import { SpanStore } from './storage/ports/span-store.js';
import { STORAGE, type Storage } from './storage/storage.js';
import { MetricsListener } from './telemetry/metrics-listener.js';
import { ServiceMetrics } from './telemetry/service-metrics.js';
import { CallService } from './traces/call-service.js';
import { CallTrees } from './traces/call-trees.js';
import { RecentCalls } from './traces/recent-calls.js';
import { TraceService } from './traces/trace-service.js';
import { UsualDurations } from './traces/usual-durations.js';

const SERVICES: Provider[] = [
  AcceptanceService,
  AccountService,
  ApiKeyService,
  AuditLog,
  Authenticator,
  BaselineService,
  BrowserSessions,
  CallService,
  CallTrees,
  ChangesService,
  ContextService,
  DashboardFiles,
  DatasetItems,
  DatasetService,
  DecisionService,
  DeletionRunner,
  DeletionService,
  DeletionScrubber,
  DeletionSteps,
  RetentionService,
  DocumentReader,
  Embeddings,
  ExportService,
  FunctionService,
  IgnoredItems,
  IndexSearcher,
  IndexService,
  IngestService,
  LiveChanges,
  ItemCopies,
  LastUses,
  MediaService,
  MemberService,
  RecentCalls,
  MetricsListener,
  MetricsService,
  OtlpService,
  SpanReader,
  RequestObserver,
  RunComparisonService,
  RunGridService,
  RunOutcomes,
  ScoreService,
  ServiceAddress,
  ServiceMetrics,
  SharedReader,
  ShareLinkService,
  SpanForwarder,
  TestRunItemService,
  TestRunService,
  TraceService,
  UsualDurations,
];

/**
 * The service as a Nest module. It must be the root of its own application on Fastify, because its guard and error filter are global.
 * `startCollector` creates that application.
 */
@Module({
  controllers: [
    IngestController,
    OtlpController,
    TracesController,
    MediaController,
    CallsController,
    ExportController,
    TestRunsController,
    ScoresController,
    ChangesController,
    CostsController,
    DecisionsController,
    MetricsController,
    DatasetsController,
    DeletionsController,
    RetentionController,
    DeveloperController,
    IndexesController,
    FunctionsController,
    ApiKeysController,
    AccountsController,
    AuditLogController,
    BrowserSessionsController,
    LiveController,
    MembersController,
    ShareLinksController,
    SharedController,
    HealthController,
    SignInController,
    OpenApiController,
    DashboardController,
  ],
})
export class CollectorModule implements NestModule, OnApplicationShutdown {
  constructor(
    @Inject(STORAGE) private readonly storage: Storage,
    private readonly adapterHost: HttpAdapterHost,
    private readonly observer: RequestObserver,
  ) {}

  /** @throws InvalidOptionError */
  static forRoot(options: CollectorOptions = {}): DynamicModule {
    const resolved = new ResolvedOptions(options);
    return {
      module: CollectorModule,
      providers: [
        { provide: ResolvedOptions, useValue: resolved },
        { provide: Clock, useFactory: ({ clock }: Storage) => clock ?? resolved.clock, inject: [STORAGE] },
        { provide: CollectorLogger, useValue: resolved.logger },
        { provide: Turns, useValue: MAIN_THREAD },
        { provide: MemoryBudget, useValue: new MemoryBudget(resolved.requestMemoryBytes) },
        { provide: PriceList, useValue: resolved.prices },
        { provide: STORAGE, useFactory: () => resolved.openFinishedStorage() },
        { provide: SpanStore, useFactory: ({ spans }: Storage) => spans, inject: [STORAGE] },
        { provide: MetaStore, useFactory: ({ meta }: Storage) => meta, inject: [STORAGE] },
        { provide: Locks, useFactory: ({ locks }: Storage) => locks ?? new OwnLocks(), inject: [STORAGE] },
        {
          provide: RateLimits,
          useFactory: ({ rateLimits }: Storage) => rateLimits ?? new OwnRateLimits(),
          inject: [STORAGE],
        },
        { provide: APP_GUARD, useClass: AccessGuard },
        { provide: APP_GUARD, useClass: QueryGuard },
        { provide: APP_FILTER, useClass: ErrorFilter },
        { provide: APP_INTERCEPTOR, useClass: RequestMemoryInterceptor },
        { provide: APP_INTERCEPTOR, useClass: LargeAnswerInterceptor },
        ...SERVICES,
      ],
    };
  }

  /** Runs before Nest registers routes. */
  configure(): void {
    prepareFastify(this.adapterHost.httpAdapter.getInstance<FastifyInstance>(), this.observer);
  }

  /** Runs after the server is closed, when all accepted records are committed. */
  async onApplicationShutdown(): Promise<void> {
    await this.storage.close();
  }
}
