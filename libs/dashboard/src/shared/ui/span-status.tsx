import type { SpanStatus as Status } from '@dacapo/protocol';
import { Badge, type BadgeTone } from './badge.js';

const TONES: Record<Status, BadgeTone> = {
  ok: 'ok',
  error: 'error',
  cancelled: 'warning',
  unfinished: 'neutral',
};

export function SpanStatus({ status }: { status: Status }) {
  return <Badge tone={TONES[status]}>{status}</Badge>;
}
