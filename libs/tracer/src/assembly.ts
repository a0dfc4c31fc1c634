import { Capturer } from './capture/capturer.js';
import { MediaBuffer } from './capture/media/media-buffer.js';
import { type Clock, guardedClock, systemClock } from './context/clock.js';
import { Counters } from './delivery/counters.js';
import { listenForExit } from './delivery/exit-hooks.js';
import { HttpDelivery } from './delivery/http-delivery.js';
import type { DeliveryStats, RecordSink } from './delivery/record-sink.js';
import { ThrottledErrorReporter } from './diagnostics/error-reporter.js';
import { sha256 } from './hashing.js';
import { keyless } from './keyless.js';
import {
  type ResolvedTracerOptions,
  resolveTracerOptions,
  type TracerOptions,
} from './options/tracer-options.js';
import { RecordingError } from './recording/errors.js';
import { TailSampler } from './recording/tail-sampler.js';
import { OpenSpans } from './recording/open-spans.js';
import { Recorder } from './recording/recorder.js';
import { ServiceRoute } from './service/service-route.js';
import type { TracerParts } from './tracer-parts.js';

/** The parts of a tracer. */
export interface TracerAssembly {
  readonly resolved: RoutedOptions;
  readonly reporter: ThrottledErrorReporter;
  readonly capturer: Capturer;
  readonly openSpans: OpenSpans;
  readonly sink: RecordSink;
  /** Absent while tracing is off. */
  readonly recorder: Recorder | undefined;
}

/** The options and the route to the service that follows from them. */
interface RoutedOptions extends ResolvedTracerOptions {
  readonly route: ServiceRoute;
}

/** @throws InvalidOptionError when an option is invalid; never for a missing key */
export function assembleTracer(options: TracerOptions, parts: TracerParts): TracerAssembly {
  const checked = resolveTracerOptions(options, parts.env);
  const resolved = { ...checked, route: new ServiceRoute(checked.serviceUrl, checked.connection) };
  const reporter = new ThrottledErrorReporter(resolved.logger, options.onError);
  const clock = createClock(parts, reporter);
  const media = new MediaBuffer(() => clock.monotonicMs());
  const capturer = new Capturer(
    {
      ...options.capture,
      redactionSecret: options.capture?.redactionSecret ?? deriveRedactionSecret(resolved.apiKey),
    },
    media,
  );
  const openSpans = new OpenSpans(resolved.unfinishedAfterMs, resolved.maxOpenBytes, clock);
  const hasKey = resolved.apiKey !== '';
  const isOn = hasKey && resolved.enabled;
  if (!hasKey && resolved.enabled && !keyless.isRecorded) reporter.warn(NO_KEY);
  if (hasKey && resolved.route.problem !== undefined) reporter.warn(resolved.route.problem);
  const shared = { resolved, reporter, capturer, openSpans };
  if (!isOn && !keyless.isRecorded) {
    keyless.off++;
    return { ...shared, sink: new DisabledSink(), recorder: undefined };
  }

  // Before the delivery listens, so that what is open at the end is with it when it hears of the end.
  listenForExit(openSpans);
  const sink = parts.sink ?? (isOn ? createDelivery(options, resolved, reporter) : new DisabledSink());
  const recorder = new Recorder({
    capturer,
    sink,
    clock,
    sampleRate: resolved.sampleRate,
    tailSampler: resolved.keepErrors ? new TailSampler() : undefined,
    incoming: resolved.incoming,
    environment: resolved.environment,
    release: resolved.release,
    openSpans,
    reporter,
    warn: (message) => {
      reporter.warn(message);
    },
  });
  return { ...shared, sink, recorder };
}

function createClock({ clock }: TracerParts, reporter: ThrottledErrorReporter): Clock {
  if (clock === undefined) return systemClock;
  return guardedClock(clock, (cause) => {
    reporter.report(new RecordingError('reading the clock', cause));
  });
}

function createDelivery(
  { delivery }: TracerOptions,
  resolved: RoutedOptions,
  reporter: ThrottledErrorReporter,
): RecordSink {
  const { serviceUrl, route, apiKey, timeoutMs } = resolved;
  return new HttpDelivery({
    serviceUrl,
    route,
    apiKey,
    timeoutMs,
    ...(delivery && { options: delivery }),
    report: (error) => {
      reporter.reportNow(error);
    },
  });
}

/** Derives the secret from the key, so that all processes of an account write equal tokens. The key cannot be derived from it. */
function deriveRedactionSecret(apiKey: string): string {
  return sha256(`dacapo redaction ${apiKey}`);
}

const NO_KEY =
  'No apiKey: tracing is off and wrapped functions run normally. To turn it on, set TRACER_API_KEY and pass it as apiKey (TracerModule does).';

/** The sink of a tracer that sends nothing. */
export class DisabledSink implements RecordSink {
  add(): void {
    // Only tests with cassettes record without a key.
  }

  flush(): Promise<boolean> {
    return Promise.resolve(true);
  }

  shutdown(): Promise<void> {
    return Promise.resolve();
  }

  stats(): DeliveryStats {
    return new Counters().toStats();
  }
}
