import { ROUTES, type SessionSummary } from '@dacapo/protocol';
import { pageQuery } from '../../../shared/http/page-query.js';

export const sessionsQuery = pageQuery<SessionSummary>(ROUTES.sessions, { limit: 50 });
