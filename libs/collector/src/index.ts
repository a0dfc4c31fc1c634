export { Clock, SystemClock } from './clock.js';
export { CollectorModule } from './collector.module.js';
export {
  CannotListenError,
  CollectorError,
  DatabaseTooNewError,
  DataDirectoryInUseError,
  DataDirectoryNotWritableError,
  InvalidCursorError,
  InvalidOptionError,
  PortInUseError,
  StorageError,
} from './errors.js';
export { CollectorLogger, StderrLogger } from './logger.js';
export type { CollectorOptions, StartCollectorOptions } from './options.js';
export { type RunningCollector, startCollector } from './start-collector.js';
