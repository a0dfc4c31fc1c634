import type { SpanStatus as Status } from '@dacapo/protocol';
import { Badge, type BadgeTone } from './badge.js';

const TONES: Record<Exclude<Status, 'ok'>, BadgeTone> = {
  error: 'error',
  cancelled: 'warning',
  unfinished: 'neutral',
};

/** The usual status, `ok`, is plain text. */
export function SpanStatus({ status }: { status: Status }) {
  return status === 'ok' ? <span className="muted">ok</span> : <Badge tone={TONES[status]}>{status}</Badge>;
}
