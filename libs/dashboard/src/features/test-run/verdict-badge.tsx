import type { Verdict } from '@dacapo/protocol';
import { Badge, type BadgeTone } from '../../shared/ui/badge.js';

const TONES: Record<Verdict, BadgeTone> = {
  same: 'ok',
  changed: 'warning',
  unknown: 'warning',
  error: 'error',
};

export function VerdictBadge({ verdict }: { verdict: Verdict }) {
  return <Badge tone={TONES[verdict]}>{verdict}</Badge>;
}
