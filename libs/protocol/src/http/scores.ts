import type { ScoreRecord } from '../records/score.js';
import type { RefusedEntry } from './answers.js';

/** `POST` {@link ROUTES.scores}: at most `LIMITS.scores`. */
export interface AddScoresRequest {
  scores: ScoreRecord[];
}

/** A rejected score does not affect the others. A score that is already stored counts as accepted. */
export interface AddScoresAnswer {
  accepted: number;
  rejected: RefusedEntry[];
}
