/** A value or an element where it is kept, for a migration that puts something else there. */
import type { Place } from '../place.ts';

export interface StoredText {
  readonly place: Place;
  readonly rewind: boolean;
  /** JSON. */
  readonly text: string;
  readonly replace: (text: string) => void;
}
