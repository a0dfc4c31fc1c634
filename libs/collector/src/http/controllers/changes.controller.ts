import { parseTimestamp, ProtocolError } from '@dacapo/protocol';
import { API, type Input } from '@dacapo/protocol/api';
import { Controller } from '@nestjs/common';
import { ChangesService } from '../../changes/changes-service.js';
import { Clock } from '../../clock.js';
import { DAY_US } from '../../storage/ports/metrics-query.js';
import { Caller } from '../access/caller.decorator.js';
import { Handles, RequestInput } from '../routes/handles.decorator.js';

const DEFAULT_DAYS = 7;
/** The baseline is as long: both are read by the hour or day. */
const MOST_DAYS = 31;

const { find } = API.changes;

@Controller()
export class ChangesController {
  constructor(
    private readonly changes: ChangesService,
    private readonly clock: Clock,
  ) {}

  @Handles(find)
  find(
    @RequestInput() { since, until, against = 'release' }: Input<typeof find>,
    @Caller() accountId: string,
  ) {
    const untilUs = parseTimestamp(until ?? '') ?? this.clock.nowUs() + 1;
    const sinceUs = parseTimestamp(since ?? '') ?? untilUs - DEFAULT_DAYS * DAY_US;
    if (sinceUs >= untilUs) throw new ProtocolError('since', 'must be before until');
    if (untilUs - sinceUs > MOST_DAYS * DAY_US)
      throw new ProtocolError('since', `must be at most ${MOST_DAYS} days before until`);
    return this.changes.find(accountId, { sinceUs, untilUs, against });
  }
}
