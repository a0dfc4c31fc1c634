/** What an application does by itself, without being called: a replay leaves it out unless it is asked for. */
export type StartedWork = 'schedules' | 'queues' | 'events' | 'sagas' | 'consumers';

export const STARTED_WORK = [
  'schedules',
  'queues',
  'events',
  'sagas',
  'consumers',
] as const satisfies readonly StartedWork[];

/** The one object of a library that starts its work when the application starts, and the methods by which it does. */
export interface Starter {
  readonly work: StartedWork;
  /** The class of the library's module: a class of the application may have the name of the provider. */
  readonly module: string;
  readonly provider: string;
  /** Alternatives: versions of the library differ. What else the provider's lifecycle hooks do, still happens. */
  readonly methods: readonly string[];
}

/** By name, so that none of these libraries has to be there; `@nestjs/bull` and `@nestjs/bullmq` have the same names. */
export const STARTERS: readonly Starter[] = [
  { work: 'schedules', module: 'ScheduleModule', provider: 'ScheduleExplorer', methods: ['explore'] },
  { work: 'queues', module: 'BullModule', provider: 'BullExplorer', methods: ['register', 'explore'] },
  {
    work: 'events',
    module: 'EventEmitterModule',
    provider: 'EventSubscribersLoader',
    methods: ['loadEventListeners'],
  },
  { work: 'events', module: 'CqrsModule', provider: 'EventBus', methods: ['register'] },
  { work: 'sagas', module: 'CqrsModule', provider: 'EventBus', methods: ['registerSagas'] },
  {
    work: 'consumers',
    module: 'RabbitMQModule',
    provider: 'RabbitMQModule',
    methods: ['onApplicationBootstrap'],
  },
];

/** Libraries that start consumers or workers in a way that cannot be told apart from what senders need. */
export const NOT_HELD_BACK: ReadonlySet<string> = new Set([
  'SqsModule',
  'PgBossModule',
  'PGBossModule',
  'AgendaModule',
  'TemporalModule',
  'TelegrafModule',
  'NecordModule',
]);
