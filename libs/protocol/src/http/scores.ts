import type { ScoreRecord } from '../records/score.js';
import type { RefusedEntry } from './answers.js';

/** `POST` {@link ROUTES.scores}: at most `LIMITS.scores`. */
export interface AddScoresRequest {
  scores: ScoreRecord[];
}

/** A refused score never harms its neighbours. One that is known already counts as accepted. */
export interface AddScoresAnswer {
  accepted: number;
  rejected: RefusedEntry[];
}
