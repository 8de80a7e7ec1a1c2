/** Which of the small chunks of a file become one long one. Pure. */
import { mostChunkBytes } from './archive-chunk.ts';

/** A stored chunk: bytes [start, start + length) of the file. */
export interface Place {
  /** Of its row. */
  readonly number: number;
  readonly start: number;
  readonly length: number;
}

/** Neighbours that make one chunk together, on one side of `border`. */
export function runsOf(places: readonly Place[], border: number): readonly (readonly Place[])[] {
  const runs: Place[][] = [];
  let run: Place[] = [];
  let bytes = 0;
  for (const place of places) {
    const last = run.at(-1);
    const joins =
      last !== undefined &&
      last.start + last.length === place.start &&
      place.start !== border &&
      bytes + place.length <= mostChunkBytes;
    if (!joins) {
      runs.push(run);
      run = [];
      bytes = 0;
    }
    run.push(place);
    bytes += place.length;
  }
  return [...runs, run].filter(({ length }) => length > 1);
}
