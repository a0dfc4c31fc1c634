export const STARTED_WORK = ['schedules', 'queues', 'events', 'sagas', 'consumers'] as const;
/** Work that an application starts automatically: a replay skips it unless the options ask for it. */
export type StartedWork = (typeof STARTED_WORK)[number];

/** The one object of a library that starts its work when the application starts. */
export interface Starter {
  readonly work: StartedWork;
  /** Methods that only this object has. Class names are no proof, because minifiers replace them. */
  readonly shape: readonly string[];
  /** The methods that start the work. The rest of its lifecycle hooks still runs. */
  readonly silenced: readonly string[];
  readonly marks: Mark;
}

/** Metadata of a library's decorators on what is started. */
export interface Mark {
  readonly on: 'methods' | 'classes';
  /** A string, or the description of a symbol. */
  readonly key: string;
}

/** Starters of `@nestjs/schedule`, `@nestjs/bullmq`, `@nestjs/bull`, `@nestjs/event-emitter`, `@nestjs/cqrs` and `@golevelup/nestjs-rabbitmq`. */
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

/** Handlers of `@ssut/nestjs-sqs`, whose consumers cannot be held back without its senders. */
export const SQS_MARK: Mark = { on: 'methods', key: 'SQS_CONSUMER_METHOD' };

/** Modules whose consumers or workers cannot be held back and leave no metadata. Not recognized in minified code. */
export const NOT_HELD_BACK: ReadonlySet<string> = new Set([
  'SqsModule',
  'PgBossModule',
  'PGBossModule',
  'AgendaModule',
  'TemporalModule',
  'TelegrafModule',
  'NecordModule',
]);
