/** Work that an application starts automatically: a replay skips it unless the options ask for it. */
export type StartedWork = 'schedules' | 'queues' | 'events' | 'sagas' | 'consumers';

export const STARTED_WORK = [
  'schedules',
  'queues',
  'events',
  'sagas',
  'consumers',
] as const satisfies readonly StartedWork[];

/** The one object of a library that starts its work when the application starts. */
export interface Starter {
  readonly work: StartedWork;
  /** Methods that this object has and no other. Class names do not tell: a minifier replaces them. */
  readonly shape: readonly string[];
  /** The methods by which it starts the work. What else its lifecycle hooks do, still happens. */
  readonly silenced: readonly string[];
  readonly marks: Mark;
}

/** Metadata that a library's decorators leave on what is started. */
export interface Mark {
  readonly on: 'methods' | 'classes';
  /** A text, or the description of a symbol. */
  readonly key: string;
}

/** Of `@nestjs/schedule`, `@nestjs/bullmq`, `@nestjs/bull`, `@nestjs/event-emitter`, `@nestjs/cqrs` and `@golevelup/nestjs-rabbitmq`. */
export const STARTERS: readonly Starter[] = [
  {
    work: 'schedules',
    shape: ['explore', 'lookupSchedulers'],
    silenced: ['explore'],
    marks: { on: 'methods', key: 'SCHEDULER_TYPE' },
  },
  {
    work: 'queues',
    shape: ['register', 'handleProcessor'],
    silenced: ['register'],
    marks: { on: 'classes', key: 'bullmq:processor_metadata' },
  },
  {
    work: 'queues',
    shape: ['explore', 'handleProcessor'],
    silenced: ['explore'],
    marks: { on: 'classes', key: 'bull:module_queue' },
  },
  {
    work: 'events',
    shape: ['loadEventListeners', 'subscribeToEventIfListener'],
    silenced: ['loadEventListeners'],
    marks: { on: 'methods', key: 'EVENT_LISTENER_METADATA' },
  },
  {
    work: 'events',
    shape: ['register', 'registerSagas'],
    silenced: ['register'],
    marks: { on: 'classes', key: '__eventsHandler__' },
  },
  {
    work: 'sagas',
    shape: ['register', 'registerSagas'],
    silenced: ['registerSagas'],
    marks: { on: 'classes', key: '__saga__' },
  },
  {
    work: 'consumers',
    shape: ['onApplicationBootstrap', 'setupHandler'],
    silenced: ['onApplicationBootstrap'],
    marks: { on: 'methods', key: 'RABBIT_HANDLER' },
  },
];

/** What `@ssut/nestjs-sqs` consumes, and cannot be separated from what senders need. */
export const SQS_MARK: Mark = { on: 'methods', key: 'SQS_CONSUMER_METHOD' };

/** Modules that start consumers or workers in such a way, and leave no metadata. In minified code they are not recognized. */
export const NOT_HELD_BACK: ReadonlySet<string> = new Set([
  'SqsModule',
  'PgBossModule',
  'PGBossModule',
  'AgendaModule',
  'TemporalModule',
  'TelegrafModule',
  'NecordModule',
]);
